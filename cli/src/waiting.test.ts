import { expect, test } from "bun:test";
import { waitText } from "./waiting.ts";

test.each([
  [0, "in 0 s"],
  [29.2, "in 30 s"],
  [90, "in 90 s"],
  [91, "in 2 min"],
  [5_400, "in 90 min"],
  [5_401, "in 2 h"],
  [16_200, "in 5 h"],
  [18_000, "in 5 h"],
  [86_400, "in 24 h"],
])("a wait of %d s is shown as `%s`", (seconds, text) => {
  expect(waitText(seconds)).toBe(text);
});
