import { expect, test } from "bun:test";
import { LONGEST_PAUSE_MS } from "../../store/webhooks.ts";
import { nextPause } from "./deliverer.ts";

test("an event is tried ten times in about 76 hours, with pauses up to a tenth longer", () => {
  const pauses = Array.from({ length: 10 }, (_, n) => nextPause(n + 1, 0));
  const minutes = pauses.map((pause) => pause && pause / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440, null]);
  expect(nextPause(9, 1)).toBe(26.4 * 3_600_000);
  expect(LONGEST_PAUSE_MS).toBeGreaterThan(26.4 * 3_600_000);
});
