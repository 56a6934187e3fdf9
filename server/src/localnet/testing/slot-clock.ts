import { ManualClock } from "../../testing/manual-clock.ts";
import { SLOT_MS } from "../slots.ts";

export class SlotClock extends ManualClock {
  advanceSlots(slots: number): void {
    this.advance(slots * SLOT_MS);
  }
}
