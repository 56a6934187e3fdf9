import { expect, test } from "bun:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { ServerTime } from "./store.ts";

test("the first reading counts from the middle between question and answer", () => {
  const clock = new ManualClock();
  const time = new ServerTime(clock);
  expect(() => time.now()).toThrow("not measured");
  clock.advance(100);
  time.correct(1_000_000, 0, 100);
  expect(time.now()).toBe(1_000_050);
  clock.advance(7);
  clock.set(0);
  expect(time.now()).toBe(1_000_057);
});
