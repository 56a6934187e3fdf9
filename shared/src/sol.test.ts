import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatSol, lamportsToSol, parseSol, solToLamports } from "./sol.ts";

const U64_MAX = 2n ** 64n - 1n;

describe("lamportsToSol", () => {
  test.each([
    [0n, 0],
    [1n, 1e-9],
    [999_999_999n, 0.999999999],
    [1_000_000_000n, 1],
    [1_234_567n, 0.001234567],
    [U64_MAX, 18446744073.709553],
    [-5_000n, -0.000005],
  ])("converts %p lamports to %p SOL", (amount, sol) => {
    expect(lamportsToSol(amount)).toBe(sol);
  });

  test("is exact to the lamport below eight million SOL", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 8n * 10n ** 15n), (amount) => {
        expect(solToLamports(lamportsToSol(amount))).toBe(amount);
      }),
    );
  });

  test("has a counterpart that reads amounts which JavaScript writes with an exponent", () => {
    expect([solToLamports(5e-9), solToLamports(1e21)]).toEqual([5n, 10n ** 30n]);
  });

  test("loses nothing if amounts are added in lamports first", () => {
    expect(lamportsToSol(100_000_000n + 200_000_000n)).toBe(0.3);
  });
});

describe("formatSol", () => {
  test.each([
    [0n, "0"],
    [500n, "0.0000005"],
    [1_500_000_000n, "1.5"],
    [10_000_000_000n, "10"],
    [U64_MAX, "18446744073.709551615"],
    [-1_500_000_000n, "-1.5"],
    [-1n, "-0.000000001"],
  ])("writes %p lamports as %s", (amount, text) => {
    expect(formatSol(amount)).toBe(text);
  });
});

describe("parseSol", () => {
  test.each([
    ["0", 0n],
    ["1", 1_000_000_000n],
    ["1.5", 1_500_000_000n],
    ["0.000000001", 1n],
    ["007.10", 7_100_000_000n],
  ])("reads %s SOL as %p lamports", (text, amount) => {
    expect(parseSol(text)).toBe(amount);
  });

  test("reads what formatSol writes", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 19n - 1n), (amount) => {
        expect(parseSol(formatSol(amount))).toBe(amount);
      }),
    );
  });

  test.each([
    "",
    ".5",
    "1.",
    "-1",
    "+1",
    "1e3",
    "0x10",
    " 1",
    "1\n",
    "1,5",
    "1.0000000001",
    "12345678901",
    "NaN",
    "١",
  ])("refuses %j", (text) => {
    expect(() => parseSol(text)).toThrow(RangeError);
  });
});
