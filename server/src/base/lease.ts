import { type Clock, waitAtMost } from "./clock.ts";
import { PeriodicTask } from "./periodic-task.ts";

const LEASE_MS = 60_000;
const LAST_RENEWAL_MS = 1_000;

export interface Renewal {
  readonly clock: Pick<Clock, "after">;
  readonly renew: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

export class Lease {
  readonly id: string = crypto.randomUUID();

  constructor(readonly ms = LEASE_MS) {}

  async during<T>(work: () => Promise<T>, { clock, renew, onError }: Renewal): Promise<T> {
    const everyMs = this.ms / 3;
    const renewing = new PeriodicTask({
      clock,
      run: async () => {
        await renew();
        return everyMs;
      },
      onError,
      retryMs: [everyMs, everyMs],
    });
    renewing.start(everyMs);
    try {
      return await work();
    } finally {
      await waitAtMost(LAST_RENEWAL_MS, renewing.stop(), clock);
    }
  }
}

/** What a row stores of a lease: its id, and for how long it lasts unless it is renewed. */
export type LeaseTerms = Pick<Lease, "id" | "ms">;
