import type { Logger } from "pino";
import { PeriodicTask } from "../../base/clock.ts";
import { type Steering, UNSTEERED } from "../../domain/steering.ts";
import type { Operator, ServerReport } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";

export class CurrentSteering {
  #current = UNSTEERED;
  #reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly operator: Operator,
    private readonly log: Logger,
    private readonly followers: readonly ((settings: Steering) => void)[] = [],
  ) {
    operator.onSteering((version) => {
      if (version !== this.#current.version) void this.#follow();
    });
  }

  get current(): Steering {
    return this.#current;
  }

  /** Reads the settings, and applies them before it resolves. */
  read(): Promise<void> {
    // Reads take turns, so that no caller gets settings that were read before it asked.
    const read = this.#reading.then(() => this.#read());
    this.#reading = read.catch(() => {});
    return read;
  }

  async #read(): Promise<void> {
    const read = await this.operator.steering();
    if (read.version === this.#current.version) return;
    this.#current = read;
    for (const follow of this.followers) follow(read);
  }

  /** Never throws: the store names the version again, which repeats the read. */
  async #follow(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.log.error({ err: error }, "the operator's settings could not be read");
    }
  }
}

const INTERVAL_MS = 30_000;

/** A server that has not reported for this long counts as gone, in milliseconds. */
export const GONE_AFTER_MS = 75_000;

export class ServerReports extends PeriodicTask {
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

  /** The number of servers at the last report, including this one. */
  get live(): number {
    return this.#live;
  }

  override async stop(): Promise<void> {
    await super.stop();
    // Otherwise the others count it until it seems gone.
    await this.store.operator.forget(this.server().id).catch(() => {});
  }
}
