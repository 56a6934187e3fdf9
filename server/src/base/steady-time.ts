import type { Clock } from "./clock.ts";

/**
 * Time that never goes backwards: if the clock is set back it stands still for that reading, then
 * runs with the clock again. Such a step moves no deadline further away.
 */
export class SteadyTime {
  readonly #clock: Clock;
  #reading: number;
  #elapsed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#reading = clock.now();
  }

  /** @returns milliseconds since this object was made */
  now(): number {
    const reading = this.#clock.now();
    this.#elapsed += Math.max(0, reading - this.#reading);
    this.#reading = reading;
    return this.#elapsed;
  }
}
