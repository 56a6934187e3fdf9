import type { Clock } from "../base/clock.ts";
import type { Trouble } from "../domain/launch.ts";

const FIRST_MS = 1_000;
/** Short enough that work goes on well within a minute after the chain is back. */
const LONGEST_MS = 15_000;

/**
 * Pauses the whole worker: while the chain is unavailable or the launch wallet is short of SOL,
 * every launch would run into the same error. After a pause one launch tries whether that is over.
 */
export class BackOff {
  readonly #clock: Clock;
  #delay = 0;
  #until = 0;
  #trouble: Trouble | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why the last launch that was tried had to be put off; null if it was not. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** Whether the last launch that was tried had to be put off. */
  get inTrouble(): boolean {
    return this.#delay > 0;
  }

  /** Milliseconds that are left of the pause; 0 if there is none. */
  get remaining(): number {
    return Math.max(0, this.#until - this.#clock.elapsed());
  }

  /**
   * Begins a pause, twice as long as the last one, or joins the present one.
   *
   * @param reason why
   * @returns milliseconds until it ends
   */
  begin(reason: Trouble["reason"]): number {
    if (this.#trouble?.reason !== reason) this.#trouble = { reason, since: this.#clock.now() };
    if (this.remaining === 0) {
      this.#delay = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#delay * 2));
      this.#until = this.#clock.elapsed() + this.#delay;
    }
    return this.remaining;
  }

  /** Ends the pause; the next one is short again. */
  end(): void {
    this.#delay = 0;
    this.#until = 0;
    this.#trouble = null;
  }
}
