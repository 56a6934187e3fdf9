import { expect, test } from "bun:test";
import { solColumn, solText, tokenText, waitText } from "./format.ts";

test("solText writes plain digits and the unit, however small the amount", () => {
  expect(solText(0.0123)).toBe("0.0123 SOL");
  expect(solText(5e-9)).toBe("0.000000005 SOL");
  expect(solText(3)).toBe("3 SOL");
});

test("solColumn aligns the decimal points", () => {
  expect(solColumn([1_500_000_000n, 12_345_678n, 0n])).toEqual([
    "1.500000000 SOL",
    "0.012345678 SOL",
    "0.000000000 SOL",
  ]);
  expect(solColumn([2_000_000_000n, 0n])).toEqual(["2 SOL", "0 SOL"]);
  expect(solColumn([])).toEqual([]);
});

test("tokenText writes millionths as tokens, with digits in groups of three", () => {
  expect(tokenText("1234567000000")).toBe("1,234,567 tokens");
  expect(tokenText("12345678901")).toBe("12,345.678901 tokens");
  expect(tokenText("1")).toBe("0.000001 tokens");
});

test("tokenText returns a text that is no integer as base units, unchanged", () => {
  expect(tokenText("1.5e3")).toBe("1.5e3 base units");
});

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
