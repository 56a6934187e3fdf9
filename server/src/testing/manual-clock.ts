import type { Clock } from "../base/clock.ts";

/** A clock for tests, which stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;

  /** @param now milliseconds since the Unix epoch; by default 2026-03-01, 09:00 UTC */
  constructor(now: number = Date.UTC(2026, 2, 1, 9, 0, 0)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Moves the clock by so many milliseconds; a negative number sets it back. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  set(now: number): void {
    this.#now = now;
  }
}
