import { expect, test } from "bun:test";
import {
  feeNumeratorToBps,
  getFeeSchedulerMinBaseFeeNumerator,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import BN from "bn.js";
import fc from "fast-check";
import type { CurveConfig } from "../../../../sdk/src/internal/layouts.ts";
import { feeFacts } from "../../../../sdk/src/verify/curve-facts.ts";

function curveFee(baseFee: CurveConfig["baseFee"]): string {
  return feeFacts({ baseFee } as CurveConfig)[0]?.text.split(" of each trade")[0] ?? "";
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
      const own = { cliff, periods, reduction };
      const [a, b, c] = Object.values(own).map(BigInt) as [bigint, bigint, bigint];
      expect(curveFee({ cliff: a, periods: b, reduction: c, mode })).toBe(
        end === start ? `${start} %` : `${start} %, later ${end} %`,
      );
    }),
  );
});

test("a limit on the size of trades changes no fee, and another mode is not known", () => {
  const fee = { cliff: 10_000_000n, periods: 7n, reduction: 9n };
  expect(curveFee({ ...fee, mode: 2 })).toBe("1 %");
  expect(curveFee({ ...fee, mode: 3 })).toBe("1 %, under a schedule that is not known");
});
