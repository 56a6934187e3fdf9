import type { Logger } from "pino";
import type { Clock } from "../../base/clock.ts";
import type { OperatorStore, ServerReport } from "../../store/operator-store.ts";

/** How often a server says that it is there, in milliseconds. */
const INTERVAL_MS = 30_000;

/** A server that was not seen for so long is taken for gone, in milliseconds. */
export const GONE_AFTER_MS = 75_000;

type Reports = Pick<OperatorStore, "report" | "forget" | "servers">;

/** Says in the database that this server is there, and counts all that do. */
export class ServerReports {
  readonly #operator: Reports;
  readonly #clock: Clock;
  readonly #server: () => ServerReport;
  readonly #log: Logger;
  #timer: ReturnType<typeof setInterval> | undefined;
  #last: Promise<void> = Promise.resolve();
  #live = 1;

  /** @param server describes this server as it is now */
  constructor(
    { operator, clock }: { readonly operator: Reports; readonly clock: Clock },
    server: () => ServerReport,
    log: Logger,
  ) {
    this.#operator = operator;
    this.#clock = clock;
    this.#server = server;
    this.#log = log;
  }

  /** How many servers of the database there were at the last report, this one included. */
  get live(): number {
    return this.#live;
  }

  start(): void {
    this.#timer = setInterval(() => void this.report(), INTERVAL_MS);
    void this.report();
  }

  /** Never throws: the next report tries again. */
  report(): Promise<void> {
    this.#last = this.#last.then(async () => {
      try {
        await this.#operator.report(this.#server());
        const seen = await this.#operator.servers(this.#clock.now() - GONE_AFTER_MS);
        this.#live = Math.max(1, seen.length);
      } catch (error) {
        this.#log.warn({ err: error }, "the server could not report itself");
      }
    });
    return this.#last;
  }

  /** Takes this server off the list. Never throws. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
    // Otherwise it is taken for gone after a while.
    await this.#operator.forget(this.#server().id).catch(() => {});
  }
}
