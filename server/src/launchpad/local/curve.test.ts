import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { priceInSol } from "../../domain/token.ts";
import {
  type CurveTerms,
  creatorFee,
  curveKnots,
  marketValue,
  paymentFor,
  quoteBuy,
  type Reserves,
  TOTAL_SUPPLY,
} from "./curve.ts";

const SOL = 1_000_000_000n;
const terms: CurveTerms = { feeBps: 100, graduationLamports: 85n * SOL };
const fresh: Reserves = { lamports: 0n, tokens: TOTAL_SUPPLY };

describe("the curve", () => {
  test("sells 34.28 million tokens for the first SOL", () => {
    expect(quoteBuy(fresh, SOL, terms)).toEqual({
      lamports: 990_000_000n,
      tokens: 34_277_831_558_567n,
      feeLamports: 10_000_000n,
    });
  });

  test("keeps a fifth of the supply at graduation, whatever the threshold", () => {
    for (const threshold of [SOL / 1000n, SOL, 85n * SOL, 100_000n * SOL]) {
      const scaled = { feeBps: 100, graduationLamports: threshold };
      const { lamports, tokens } = quoteBuy(fresh, paymentFor(threshold, 100), scaled);
      expect(lamports).toBe(threshold);
      expect(Number(TOTAL_SUPPLY - tokens) / 1e12).toBeCloseTo(206.913, 2);
    }
  });
});

test("a curve begins and ends where its first and its last trade do", () => {
  const { lamports, tokens } = quoteBuy(fresh, paymentFor(85n * SOL, 100), terms);
  const end = { lamports, tokens: TOTAL_SUPPLY - tokens };
  const prices = [fresh, end].map((reserves) => priceInSol(marketValue(reserves, terms).price));
  expect(curveKnots(terms)).toEqual([
    { raisedSOL: 0, priceSOL: prices[0] as number },
    { raisedSOL: 85, priceSOL: prices[1] as number },
  ]);
  // 30 SOL for 1,073 million tokens.
  expect(prices[0]).toBeCloseTo(30 / 1.073e9, 15);
  expect(marketValue(fresh, terms).marketCap).toBe((30n * SOL * 1000n) / 1073n);
});

describe("fees", () => {
  test("are rounded up, so that no trade is free", () => {
    expect(creatorFee(1n, 100)).toBe(1n);
    expect(creatorFee(100n, 100)).toBe(1n);
    expect(creatorFee(101n, 100)).toBe(2n);
  });

  test("are included in the least payment that brings an amount into the pool", () => {
    const lamports = fc.bigInt({ min: 1n, max: 10n ** 15n });
    fc.assert(
      fc.property(lamports, fc.integer({ min: 0, max: 5_000 }), (lamports, feeBps) => {
        const paid = paymentFor(lamports, feeBps);
        expect(paid - creatorFee(paid, feeBps)).toBe(lamports);
        const less = paid - 1n;
        expect(less - creatorFee(less, feeBps)).toBeLessThan(lamports);
      }),
    );
  });
});
