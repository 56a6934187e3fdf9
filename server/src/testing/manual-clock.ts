import type { Clock } from "../base/clock.ts";

/** A clock for tests: it stands still until it is moved, forwards or back. */
export class ManualClock implements Clock {
  #now: number;

  /** @param now milliseconds since the Unix epoch; by default a morning in UTC */
  constructor(now: number = Date.UTC(2026, 2, 1, 9, 0, 0)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Moves it by so many milliseconds; a negative number steps it back. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  set(now: number): void {
    this.#now = now;
  }
}
