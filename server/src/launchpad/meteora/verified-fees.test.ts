import { expect, test } from "bun:test";
import {
  feeNumeratorToBps,
  getFeeSchedulerMinBaseFeeNumerator,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import BN from "bn.js";
import fc from "fast-check";
import { curveFeeFacts } from "../../../../sdk/src/verify/fee-facts.ts";

interface Fee {
  readonly cliff: bigint;
  readonly periods: number;
  readonly reduction: bigint;
  readonly mode: number;
}

function curveFee({ cliff, periods, reduction, mode: baseFeeMode }: Fee): string {
  const fee = { cliffFeeNumerator: cliff, firstFactor: periods, thirdFactor: reduction };
  const baseFee = { ...fee, secondFactor: 1n, baseFeeMode };
  const poolFees = { baseFee, dynamicFee: { initialized: 0 } };
  const terms = { collectFeeMode: 0, activationType: 1, enableFirstSwapWithMinFee: 0 };
  const [fact] = curveFeeFacts(
    {
      poolFees,
      ...terms,
      creatorTradingFeePercentage: 0,
    } as CurveConfig,
    0n,
  );
  return fact?.text.split(", in ")[0] ?? "";
}

test("a schedule's first and last fee are those of Meteora's own library", () => {
  const schedule = fc.record({
    cliff: fc.integer({ min: 2_500_000, max: 990_000_000 }),
    periods: fc.integer({ min: 1, max: 1_000 }),
    reduction: fc.integer({ min: 0, max: 9_999 }),
    mode: fc.constantFrom(0, 1),
  });
  fc.assert(
    fc.property(schedule, ({ cliff, periods, reduction, mode }) => {
      fc.pre(mode === 1 || cliff > periods * reduction);
      const [first, factor] = [new BN(cliff), new BN(reduction)];
      const last = getFeeSchedulerMinBaseFeeNumerator(first, periods, factor, mode);
      const [start, end] = [first, last].map((fee) => feeNumeratorToBps(fee) / 100);
      const own = { cliff: BigInt(cliff), periods, reduction: BigInt(reduction), mode };
      expect(curveFee(own)).toBe(`${start} %, later ${end} %`);
    }),
  );
});

test("a limit on the size of trades makes large buys pay the most, and another mode is not known", () => {
  const fee = { cliff: 10_000_000n, periods: 7, reduction: 9n };
  expect(curveFee({ ...fee, mode: 2 })).toStartWith("1 %, and in the first 1 s up to 99 % for");
  expect(curveFee({ ...fee, mode: 3 })).toBe("unknown: a schedule in the way 3");
});
