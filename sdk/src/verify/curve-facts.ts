import {
  type CurveConfig,
  curveBps,
  migratedBps,
  TO_DAMM_V2,
} from "@tokenctl/shared/programs/curve-terms";
import type { Fact } from "@tokenctl/shared/types";

import { fact, info } from "./facts.ts";

/** What a trade costs and who earns it, on the curve and by the config after it. */
export function feeFacts(config: CurveConfig): Fact[] {
  const bps = curveBps(config.poolFees.baseFee);
  const [start, end] = [bps.start / 100, bps.end === null ? null : bps.end / 100];
  const change =
    end === null ? ", under a schedule that is not known" : end === start ? "" : `, later ${end} %`;
  const ofPool =
    config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage;
  const after = migratedBps(config) / 100;
  return [
    info("curve_fees", feeText(`${start} %${change}`, config.creatorTradingFeePercentage)),
    info(
      "pool_fees",
      feeText(`${after} %`, ofPool + config.creatorLiquidityVestingInfo.vestingPercentage),
    ),
  ];
}

function feeText(fee: string, creatorPercent: number): string {
  return `${fee} of each trade; of what the protocol leaves, the creator gets ${creatorPercent} % and the partner ${100 - creatorPercent} %`;
}

/** How much of the liquidity the config locks permanently. */
export function plannedLock(config: CurveConfig): Fact {
  const { migrationOption } = config;
  if (migrationOption !== TO_DAMM_V2) {
    const text = `unknown: the curve migrates in the way ${migrationOption}, not to DAMM v2`;
    return fact("locked_liquidity", false, text);
  }
  const { creatorPermanentLockedLiquidityPercentage: creator, feeClaimer } = config;
  const partner = config.partnerPermanentLockedLiquidityPercentage;
  const whose = `${creator} % for the creator, ${partner} % for the partner ${feeClaimer}`;
  const all = lockedPercent(config);
  return fact(
    "locked_liquidity",
    all === 100,
    `${all} % of the liquidity will be locked permanently at migration: ${whose}`,
  );
}

export function lockedPercent(config: CurveConfig): number {
  return (
    config.creatorPermanentLockedLiquidityPercentage +
    config.partnerPermanentLockedLiquidityPercentage
  );
}
