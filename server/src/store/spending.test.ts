import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { tempStore } from "../testing/temp-store.ts";
import { openStore } from "./store.ts";

const LAST_MS_OF_DAY = Date.UTC(2026, 2, 2) - 1;

test("lamports are added exactly, beyond what a double holds", () => {
  using temp = tempStore();
  const { spending } = temp.store;
  expect(spending.spentToday()).toBe(0n);
  spending.record(2n ** 53n);
  spending.record(1n);
  expect(spending.spentToday()).toBe(2n ** 53n + 1n);
});

test("each UTC day begins at zero, and a clock that steps back reads its day again", () => {
  using temp = tempStore(new ManualClock(LAST_MS_OF_DAY));
  const { spending } = temp.store;
  spending.record(5n);
  temp.clock.advance(1);
  expect(spending.spentToday()).toBe(0n);
  spending.record(7n);
  temp.clock.advance(-1);
  expect(spending.spentToday()).toBe(5n);
});

test("the day's sum survives a restart", () => {
  using temp = tempStore();
  temp.store.spending.record(9n);
  const other = openStore(temp.path, temp.clock);
  expect(other.spending.spentToday()).toBe(9n);
  other.close();
});
