import { expect, test } from "bun:test";
import { solToLamports } from "@tokenctl/shared/sol";
import { solColumn, solText, tokenText } from "./amount.ts";

test("toLamports reads the amount that a number of the wire means, to the lamport", () => {
  expect(solToLamports(0)).toBe(0n);
  expect(solToLamports(0.1)).toBe(100_000_000n);
  expect(solToLamports(5e-9)).toBe(5n);
  expect(solToLamports(12_345.000000001)).toBe(12_345_000_000_001n);
  expect(solToLamports(1e21)).toBe(10n ** 30n);
});

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
