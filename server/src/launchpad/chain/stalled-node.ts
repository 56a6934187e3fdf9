import type { Clock } from "../../base/clock.ts";
import { SteadyTime } from "../../base/steady-time.ts";

/** A slot takes 0.4 s; a cluster that makes none for so long, in milliseconds, has halted. */
const LIMIT_MS = 30_000;

/** Notices a node that answers as ever, from a state that no longer changes. */
export class StalledNode {
  readonly #time: SteadyTime;
  #highest = 0;
  #since = 0;

  constructor(clock: Clock) {
    this.#time = new SteadyTime(clock);
  }

  /**
   * @param slot the one that the node answered from; of several nodes behind one URL the furthest
   * one counts
   * @returns whether it has stood still for too long
   */
  note(slot: number): boolean {
    const now = this.#time.now();
    if (slot > this.#highest) {
      this.#highest = slot;
      this.#since = now;
    }
    return now - this.#since >= LIMIT_MS;
  }
}
