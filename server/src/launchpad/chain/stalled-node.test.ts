import { expect, test } from "bun:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { Standstill } from "./stalled-node.ts";

const setUp = () => {
  const clock = new ManualClock();
  return { clock, standstill: new Standstill(clock) };
};

test("default: a node that moves on does not stand still, however slowly it is asked", () => {
  const { clock, standstill } = setUp();
  for (let slot = 1; slot < 5; slot++) {
    expect(standstill.note(slot)).toBe(false);
    clock.advance(60_000);
  }
});

test("behavior: the same slot for 30 s is a standstill, and the next one ends it", () => {
  const { clock, standstill } = setUp();
  standstill.note(7);
  clock.advance(29_999);
  expect(standstill.note(7)).toBe(false);
  clock.advance(1);
  expect(standstill.note(7)).toBe(true);
  expect(standstill.note(8)).toBe(false);
});

test("behavior: a node that is behind does not hide one that moves on", () => {
  const { clock, standstill } = setUp();
  standstill.note(7);
  clock.advance(20_000);
  standstill.note(57);
  clock.advance(20_000);
  expect(standstill.note(7)).toBe(false);
});

test("behavior: a clock that steps back makes no standstill, and hides none for ever", () => {
  const { clock, standstill } = setUp();
  standstill.note(7);
  clock.advance(-3_600_000);
  expect(standstill.note(7)).toBe(false);
  clock.advance(30_000);
  expect(standstill.note(7)).toBe(true);
});
