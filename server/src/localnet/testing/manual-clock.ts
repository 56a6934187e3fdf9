import type { Clock } from "../../clock.ts";
import { SLOT_MS } from "../slots.ts";

/** A clock that stands until it is told to move. */
export class ManualClock implements Clock {
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  /** @param milliseconds may be negative: clocks get set back */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  advanceSlots(slots: number): void {
    this.advance(slots * SLOT_MS);
  }
}
