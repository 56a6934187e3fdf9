import type { Clock } from "../base/clock.ts";
import { SteadyTime } from "../base/steady-time.ts";

const FIRST_MS = 1_000;
/** Short enough that work goes on well within a minute of the chain's return. */
const LONGEST_MS = 15_000;

/**
 * A pause of the whole worker: while the chain is away or the wallet is dry, every launch would
 * meet the same. After the pause one launch finds out whether that has passed.
 */
export class BackOff {
  readonly #clock: Clock;
  readonly #time: SteadyTime;
  #delay = 0;
  #until = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#time = new SteadyTime(clock);
  }

  /** Whether the last launch that was tried met trouble. */
  get inTrouble(): boolean {
    return this.#delay > 0;
  }

  /** Milliseconds still to wait; 0 when there is no pause. */
  get remaining(): number {
    return Math.max(0, this.#until - this.#time.now());
  }

  /** Begins a pause, longer than the last one, or joins the present one. @returns when it ends */
  begin(): number {
    if (this.remaining === 0) {
      this.#delay = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#delay * 2));
      this.#until = this.#time.now() + this.#delay;
    }
    return this.#clock.now() + this.remaining;
  }

  /** The chain is well again. */
  end(): void {
    this.#delay = 0;
    this.#until = 0;
  }
}
