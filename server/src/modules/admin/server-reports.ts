import type { Logger } from "pino";
import { Repeating } from "../../base/repeating.ts";
import type { ServerReport } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";

const INTERVAL_MS = 30_000;

/** A server that has not reported itself for this long is taken for gone, in milliseconds. */
export const GONE_AFTER_MS = 75_000;

export class ServerReports extends Repeating {
  #live = 1;

  constructor(
    private readonly store: Pick<Store, "operator" | "clock">,
    private readonly server: () => ServerReport,
    log: Logger,
  ) {
    const { operator, clock } = store;
    super({
      clock,
      run: async () => {
        this.#live = 1 + (await operator.report(server(), clock.now() - GONE_AFTER_MS));
        return INTERVAL_MS;
      },
      onError: (error) => log.warn({ err: error }, "the server could not report itself"),
      retryMs: [1_000, INTERVAL_MS],
    });
  }

  /** How many servers of the database there were at the last report, this one included. */
  get live(): number {
    return this.#live;
  }

  /** Takes this server off the list. Never throws. */
  override async stop(): Promise<void> {
    await super.stop();
    // Otherwise it is taken for gone after a while.
    await this.store.operator.forget(this.server().id).catch(() => {});
  }
}
