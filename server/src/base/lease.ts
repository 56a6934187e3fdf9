import { type Clock, waitAtMost } from "./clock.ts";
import { Repeating } from "./repeating.ts";

/** How long a lease lasts unless it is renewed, in milliseconds. */
const LEASE_MS = 60_000;
/** How long the end of the work waits for a renewal under way, in milliseconds. */
const LAST_RENEWAL_MS = 1_000;

export interface Renewal {
  readonly clock: Pick<Clock, "after">;
  readonly renew: () => Promise<unknown>;
  /** Called with what `renew` throws; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** What one server works on for a while, and no other server of the database. */
export class Lease {
  readonly id = crypto.randomUUID();
  readonly ms: number;

  /** @param ms how long it lasts unless it is renewed, in milliseconds */
  constructor(ms = LEASE_MS) {
    this.ms = ms;
  }

  /** Does work, and renews the lease until the work ends. @throws what the work throws */
  async during<T>(work: () => Promise<T>, { clock, renew, onError }: Renewal): Promise<T> {
    const everyMs = this.ms / 3;
    const renewing = new Repeating({
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
