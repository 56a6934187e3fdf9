import type { Clock } from "../../base/clock.ts";
import { SteadyTime } from "../../base/steady-time.ts";

/** A cluster that makes no slot within this time, in milliseconds, has halted: one takes 0.4 s or less. */
const LIMIT_MS = 30_000;

/** Detects a node that still answers, but from a state that no longer changes. */
export class StalledNode {
  readonly #time: SteadyTime;
  #highest = 0;
  #since = 0;

  constructor(clock: Clock) {
    this.#time = new SteadyTime(clock);
  }

  /**
   * Takes note of the slot of an answer. If one URL leads to several nodes, the furthest slot counts.
   *
   * @returns whether no newer slot was seen for too long
   */
  isStalledAt(slot: number): boolean {
    const now = this.#time.now();
    if (slot > this.#highest) {
      this.#highest = slot;
      this.#since = now;
    }
    return now - this.#since >= LIMIT_MS;
  }
}
