import { expect, test } from "bun:test";
import { ServerTime } from "./server-time.ts";

/** How far the time is from the one that runs with this machine since its start. */
const offsetOf = (time: ServerTime) => time.now() - performance.now();

test("the first reading counts from the middle between question and answer", () => {
  const time = new ServerTime();
  expect(() => time.now()).toThrow("not measured");
  const now = performance.now();
  time.correct(1_000_000, now, now + 100);
  expect(Math.abs(offsetOf(time) - (1_000_000 - now - 50))).toBeLessThan(5);
});

test("a later reading corrects the time no further than it is certain", () => {
  const time = new ServerTime();
  time.correct(1_000_000, 0, 0);
  const first = offsetOf(time);
  time.correct(1_000_050, 0, 100);
  expect(Math.abs(offsetOf(time) - first)).toBeLessThan(5);
  time.correct(1_000_500, 0, 100);
  expect(Math.abs(offsetOf(time) - first - 400)).toBeLessThan(5);
  time.correct(999_000, 0, 100);
  expect(Math.abs(offsetOf(time) - first + 1_000)).toBeLessThan(5);
});
