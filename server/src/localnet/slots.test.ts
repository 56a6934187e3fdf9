import { describe, expect, test } from "bun:test";
import { base58 } from "../base/base58.ts";
import { Ledger } from "./ledger.ts";
import { BLOCKHASH_VALID_BLOCKS, SLOT_MS, Slots } from "./slots.ts";
import { SlotClock } from "./testing/local-chain.ts";

function start(seed = 7) {
  const clock = new SlotClock();
  const genesis = { timeMs: clock.now(), seed: new Uint8Array(32).fill(seed) };
  const ledger = new Ledger(":memory:", () => ({ ...genesis, faucet: new Uint8Array() }));
  return { clock, slots: new Slots(clock, ledger) };
}

function hashOf(slots: Slots, slot: number): Uint8Array {
  return base58.decode(slots.blockhashOf(slot).blockhash, 32) ?? new Uint8Array();
}

describe("slots", () => {
  test("take another time from the next one on, and keep the times of those before", () => {
    const { clock, slots } = start();
    const began = clock.now();
    clock.advance(10 * SLOT_MS + 100);
    const slot = slots.advance();
    slots.setSlotMs(200);
    clock.advance(SLOT_MS - 101);
    expect(slots.advance()).toBe(slot);
    clock.advance(1);
    expect(slots.advance()).toBe(slot + 1);
    clock.advance(1_000);
    expect(slots.advance()).toBe(slot + 6);
    expect(slots.timeOf(slot)).toBe(Math.floor((began + 10 * SLOT_MS) / 1_000));
    expect(slots.timeOf(slot + 1)).toBe(Math.floor((began + 11 * SLOT_MS) / 1_000));
    expect(slots.timeOf(slot + 6)).toBe(Math.floor((began + 11 * SLOT_MS + 1_000) / 1_000));
  });

  test("stand still while they are halted, and go on one by one", () => {
    const { clock, slots } = start();
    const slot = slots.advance();
    slots.halt(true);
    clock.advance(600_000);
    expect(slots.advance()).toBe(slot);
    slots.halt(false);
    expect(slots.advance()).toBe(slot + 1);
    clock.advance(SLOT_MS);
    expect(slots.advance()).toBe(slot + 2);
  });

  test("accept a blockhash in its own block and in the 150 blocks after it", () => {
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

  test("refuse blockhashes of future slots and of other ledgers", () => {
    const { slots } = start();
    slots.advance();
    const { slots: other } = start(8);
    expect(slots.isRecent(hashOf(slots, slots.current + 1))).toBe(false);
    expect(slots.isRecent(hashOf(other, other.advance()))).toBe(false);
  });
});
