import type { Clock } from "./clock.ts";

/**
 * Time that never goes backwards: while the clock steps back it stands still, and goes on with the
 * clock from there. What was measured against it stays as far away as it was.
 */
export class SteadyTime {
  readonly #clock: Clock;
  #reading: number;
  #elapsed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#reading = clock.now();
  }

  /** @returns milliseconds since it was made */
  now(): number {
    const reading = this.#clock.now();
    this.#elapsed += Math.max(0, reading - this.#reading);
    this.#reading = reading;
    return this.#elapsed;
  }
}
