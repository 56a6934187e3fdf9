import { expect, test } from "bun:test";
import { UploadSlots } from "./upload-slots.ts";

const WALLETS = Array.from({ length: 9 }, (_, index) => `wallet ${index}`);

test("an agent has four slots, and gets one back for each that it frees", () => {
  const slots = new UploadSlots();
  const taken = () => Array.from({ length: 5 }, () => slots.take("one"));
  expect(taken()).toEqual([true, true, true, true, false]);
  expect(slots.take("two")).toBe(true);
  slots.free("one");
  expect([slots.take("one"), slots.take("one")]).toEqual([true, false]);
});

test("all agents together have 32 slots", () => {
  const slots = new UploadSlots();
  const taken = WALLETS.flatMap((wallet) => Array.from({ length: 4 }, () => slots.take(wallet)));
  expect(taken.filter(Boolean)).toHaveLength(32);
  slots.free("wallet 0");
  expect(slots.take("wallet 8")).toBe(true);
  expect(slots.take("wallet 8")).toBe(false);
});
