import { describe, expect, test } from "bun:test";
import { base58 } from "../base/base58.ts";
import { BLOCKHASH_VALID_BLOCKS, GENESIS_SLOT, SLOT_MS, Slots } from "./slots.ts";
import { SlotClock } from "./testing/slot-clock.ts";

const seed = new Uint8Array(32).fill(7);

function start(highest = 0): { clock: SlotClock; slots: Slots } {
  const clock = new SlotClock();
  return { clock, slots: new Slots(clock, clock.now(), seed, highest) };
}

function hashOf(slots: Slots, slot: number): Uint8Array {
  return base58.decode(slots.blockhashOf(slot).blockhash, 32) ?? new Uint8Array();
}

describe("Slots", () => {
  test("a slot each 400 ms, from the one after genesis", () => {
    const { clock, slots } = start();
    expect(slots.advance()).toBe(GENESIS_SLOT + 1);
    clock.advance(SLOT_MS - 1);
    expect(slots.advance()).toBe(GENESIS_SLOT + 1);
    clock.advance(1);
    expect(slots.advance()).toBe(GENESIS_SLOT + 2);
  });

  test("the time of a slot is when it started, whatever the clock says later", () => {
    const { clock, slots } = start();
    const began = clock.now();
    clock.advanceSlots(10);
    const slot = slots.advance();
    clock.advance(5_000);
    expect(slots.timeOf(slot)).toBe(Math.floor((began + 10 * SLOT_MS) / 1_000));
  });

  test("never goes back when the clock is set back", () => {
    const { clock, slots } = start();
    clock.advanceSlots(100);
    const highest = slots.advance();
    clock.advance(-60_000);
    expect(slots.advance()).toBe(highest);
  });

  test("starts from the highest slot noted", () => {
    const { slots } = start(5_000);
    expect(slots.advance()).toBe(5_000);
  });

  test("a blockhash is valid in its own block and the 150 after it", () => {
    const { clock, slots } = start();
    const slot = slots.advance();
    const hash = hashOf(slots, slot);
    expect(slots.isRecent(hash)).toBe(true);
    clock.advanceSlots(BLOCKHASH_VALID_BLOCKS);
    slots.advance();
    expect(slots.heightOf(slots.current)).toBe(slots.blockhashOf(slot).lastValidBlockHeight);
    expect(slots.isRecent(hash)).toBe(true);
    clock.advanceSlots(1);
    slots.advance();
    expect(slots.isRecent(hash)).toBe(false);
  });

  test("a blockhash is valid though nobody asked for it in its slot, and after a restart", () => {
    const { clock, slots } = start();
    clock.advanceSlots(120);
    slots.advance();
    const restarted = new Slots(clock, clock.now() - 120 * SLOT_MS, seed, slots.current);
    restarted.advance();
    expect(restarted.isRecent(hashOf(slots, slots.current - 100))).toBe(true);
  });

  test("blockhashes of slots to come and of other ledgers are not valid", () => {
    const { clock, slots } = start();
    slots.advance();
    const other = new Slots(clock, clock.now(), new Uint8Array(32).fill(8), 0);
    expect(slots.isRecent(hashOf(slots, slots.current + 1))).toBe(false);
    expect(slots.isRecent(hashOf(other, other.advance()))).toBe(false);
  });
});
