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
  quoteSell,
  type Reserves,
  TOTAL_SUPPLY,
} from "./curve.ts";

const SOL = 1_000_000_000n;
const terms: CurveTerms = { feeBps: 100, graduationLamports: 85n * SOL };
const fresh: Reserves = { lamports: 0n, tokens: TOTAL_SUPPLY };

/** The constant product, which no trade may lower; for a threshold of 85 SOL. */
const product = ({ lamports, tokens }: Reserves) =>
  (30n * SOL + lamports) * (73_000_000_000_000n + tokens);

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

test("no sequence of trades lowers the product, creates tokens or loses lamports", () => {
  const trade = fc.record({
    side: fc.constantFrom("buy", "sell"),
    lamports: fc.oneof(
      fc.bigInt({ min: 1n, max: 1_000n }),
      fc.bigInt({ min: 1n, max: 200n * SOL }),
    ),
  });
  fc.assert(
    fc.property(
      fc.array(trade, { maxLength: 40 }),
      fc.integer({ min: 1, max: 5_000 }),
      (trades, feeBps) => {
        const terms = { feeBps, graduationLamports: 85n * SOL };
        let pool = fresh;
        let trader = { lamports: 0n, tokens: 0n };
        let fees = 0n;
        for (const { side, lamports } of trades) {
          const before = product(pool);
          if (side === "buy") {
            const quote = quoteBuy(pool, lamports, terms);
            if (quote.tokens > pool.tokens) continue;
            pool = {
              lamports: pool.lamports + quote.lamports,
              tokens: pool.tokens - quote.tokens,
            };
            trader = { lamports: trader.lamports - lamports, tokens: trader.tokens + quote.tokens };
            fees += quote.feeLamports;
          } else {
            if (lamports > pool.lamports) continue;
            const quote = quoteSell(pool, lamports, terms);
            if (quote.tokens > trader.tokens) continue;
            pool = { lamports: pool.lamports - lamports, tokens: pool.tokens + quote.tokens };
            trader = {
              lamports: trader.lamports + quote.lamports,
              tokens: trader.tokens - quote.tokens,
            };
            fees += quote.feeLamports;
          }
          expect(product(pool)).toBeGreaterThanOrEqual(before);
          expect(pool.lamports).toBeGreaterThanOrEqual(0n);
          expect(pool.tokens + trader.tokens).toBe(TOTAL_SUPPLY);
          expect(pool.lamports + fees + trader.lamports).toBe(0n);
        }
      },
    ),
  );
});

test("buying and selling at once never makes a profit", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 80n * SOL }), (paid) => {
      const bought = quoteBuy(fresh, paid, terms);
      if (bought.lamports === 0n) return;
      const after = {
        lamports: bought.lamports,
        tokens: TOTAL_SUPPLY - bought.tokens,
      };
      const all = quoteSell(after, bought.lamports, terms);
      expect(all.tokens).toBeGreaterThanOrEqual(bought.tokens);
      expect(all.lamports).toBeLessThan(paid);
    }),
  );
});
