import { expect, test } from "bun:test";
import { isSettling } from "./token.ts";

test("what changed settles for half a minute, also if the clock was set back since", () => {
  const at = [29_999, 30_000, -29_999, -3_600_000].map((passed) => isSettling(1e9, 1e9 + passed));
  expect(at).toEqual([true, false, true, false]);
  expect(isSettling(null, 1e9)).toBe(false);
});
