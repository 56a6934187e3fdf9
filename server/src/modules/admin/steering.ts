import type { Pausable } from "@tokenctl/shared/operator-report";
import type { Logger } from "pino";
import { type Steering, UNSTEERED } from "../../domain/steering.ts";
import type { Operator } from "../../store/operator.ts";

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

  readonly pauseReason = (what: Pausable): string | null => this.#current.pauses[what] ?? null;

  /** Reads the settings, which apply once this resolves. */
  read(): Promise<void> {
    // One after another: what is asked for now must be as new as now.
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

  /** Never throws: the next time that the store names the version, it is read again. */
  async #follow(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.log.error({ err: error }, "the operator's settings could not be read");
    }
  }
}
