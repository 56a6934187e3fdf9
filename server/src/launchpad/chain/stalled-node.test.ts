import { expect, test } from "bun:test";
import { StalledNode } from "../../solana/health.ts";
import { ManualClock } from "../../testing/manual-clock.ts";

const setUp = () => {
  const clock = new ManualClock();
  return { clock, stalledNode: new StalledNode(clock) };
};

test("a node that makes progress is not stalled, however rarely it is asked", () => {
  const { clock, stalledNode } = setUp();
  for (let slot = 1; slot < 5; slot++) {
    expect(stalledNode.isStalledAt(slot)).toBe(false);
    clock.advance(60_000);
  }
});

test("the same slot for 30 s is a stall, and the next slot ends it", () => {
  const { clock, stalledNode } = setUp();
  stalledNode.isStalledAt(7);
  clock.advance(29_999);
  expect(stalledNode.isStalledAt(7)).toBe(false);
  clock.advance(1);
  expect(stalledNode.isStalledAt(7)).toBe(true);
  expect(stalledNode.isStalledAt(8)).toBe(false);
});

test("a node that is behind does not hide one that makes progress", () => {
  const { clock, stalledNode } = setUp();
  stalledNode.isStalledAt(7);
  clock.advance(20_000);
  stalledNode.isStalledAt(57);
  clock.advance(20_000);
  expect(stalledNode.isStalledAt(7)).toBe(false);
});

test("a clock that steps back causes no stall, and hides none permanently", () => {
  const { clock, stalledNode } = setUp();
  stalledNode.isStalledAt(7);
  clock.advance(-3_600_000);
  expect(stalledNode.isStalledAt(7)).toBe(false);
  clock.advance(30_000);
  expect(stalledNode.isStalledAt(7)).toBe(true);
});
