import type { Pausable } from "@tokenctl/shared/operator-report";
import type { Logger } from "pino";
import { type Steering, UNSTEERED } from "../../domain/steering.ts";
import type { Operator } from "../../store/operator.ts";

export interface Steered {
  apply(settings: Steering): void;
}

export class CurrentSteering {
  readonly #operator: Operator;
  readonly #log: Logger;
  readonly #steered: readonly Steered[];
  #current = UNSTEERED;
  #reading: Promise<void> = Promise.resolve();

  constructor(operator: Operator, log: Logger, steered: readonly Steered[] = []) {
    this.#operator = operator;
    this.#log = log;
    this.#steered = steered;
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
    const read = await this.#operator.steering();
    if (read.version === this.#current.version) return;
    this.#current = read;
    for (const part of this.#steered) part.apply(read);
  }

  /** Never throws: the next time that the store names the version, it is read again. */
  async #follow(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.#log.error({ err: error }, "the operator's settings could not be read");
    }
  }
}
