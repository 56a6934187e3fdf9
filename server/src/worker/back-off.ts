import type { Clock } from "../clock.ts";

const FIRST_MS = 1_000;
/** Short enough that work goes on well within a minute of the chain's return. */
const LONGEST_MS = 15_000;

/**
 * A pause of the whole worker: while the chain is away or the wallet is dry, every launch would
 * meet the same. After the pause one launch finds out whether that has passed.
 */
export class BackOff {
  readonly #clock: Clock;
  #delay = 0;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the last launch that was tried met trouble. */
  get inTrouble(): boolean {
    return this.#delay > 0;
  }

  /** Milliseconds still to wait; 0 when there is no pause. */
  get remaining(): number {
    const passed = this.#clock.now() - this.#since;
    // A clock that stepped back must not stretch the pause: it ends there.
    return passed < 0 ? 0 : Math.max(0, this.#delay - passed);
  }

  /** Begins a pause, longer than the last one, or joins the present one. @returns when it ends */
  begin(): number {
    const now = this.#clock.now();
    const { remaining } = this;
    if (remaining > 0) return now + remaining;
    this.#delay = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#delay * 2));
    this.#since = now;
    return now + this.#delay;
  }

  /** The chain is well again. */
  end(): void {
    this.#delay = 0;
  }
}
