import type { Fact } from "@tokenctl/shared/types";
import type { CurveConfig } from "../internal/layouts.ts";
import { fact, info } from "./facts.ts";

/** Hundredths of a percent by `migration_fee_option`; 6 is the config's own. Source: DBC SDK 1.5.12. */
const FIXED_BPS = [25, 30, 100, 200, 400, 600];
/** The fee is one part of 10⁹, and 10⁵ of them are a hundredth of a percent. */
const PARTS_PER_BPS = 100_000n;
/** Of `migration_option`. */
export const TO_DAMM_V2 = 1;

/** What a trade costs and who earns it, on the curve and by the config after it. */
export function feeFacts(config: CurveConfig): Fact[] {
  const { creatorSharePercent, migratedFeeBps, migrationFeeOption } = config;
  const { start, end } = curveFee(config.baseFee);
  const change =
    end === null ? ", under a schedule that is not known" : end === start ? "" : `, later ${end} %`;
  const ofPool = config.creatorLockedPercent + config.creatorLiquidityPercent;
  const after = (FIXED_BPS[migrationFeeOption] ?? migratedFeeBps) / 100;
  return [
    info("curve_fees", feeText(`${start} %${change}`, creatorSharePercent)),
    info("pool_fees", feeText(`${after} %`, ofPool + config.creatorVestingPercent)),
  ];
}

function feeText(fee: string, creatorPercent: number): string {
  return `${fee} of each trade; of what the protocol leaves, the creator gets ${creatorPercent} % and the partner ${100 - creatorPercent} %`;
}

/** @returns percent; the end is null if the mode is not known */
function curveFee({ cliff, reduction, periods, mode }: CurveConfig["baseFee"]) {
  const asPercent = (parts: bigint) => Number(parts / PARTS_PER_BPS) / 100;
  const start = asPercent(cliff);
  switch (mode) {
    case 0: // FeeSchedulerLinear
      return { start, end: asPercent(cliff - periods * reduction) };
    case 1: // FeeSchedulerExponential
      return { start, end: asPercent(reduced(cliff, reduction, periods)) };
    case 2: // RateLimiter
      return { start, end: start };
    default:
      return { start, end: null };
  }
}

const ONE = 1n << 64n;

/** As the program does, in 64 binary digits after the point. */
function reduced(cliff: bigint, reductionBps: bigint, periods: bigint): bigint {
  let factor = ONE;
  let base = ONE - (reductionBps << 64n) / 10_000n;
  for (let left = periods; left > 0n; left >>= 1n) {
    if (left & 1n) factor = (factor * base) >> 64n;
    base = (base * base) >> 64n;
  }
  return (cliff * factor) >> 64n;
}

/** How much of the liquidity the config locks permanently. */
export function plannedLock(config: CurveConfig): Fact {
  const { migrationOption, creatorLockedPercent, partnerLockedPercent, partner } = config;
  if (migrationOption !== TO_DAMM_V2) {
    const text = `unknown: the curve migrates in the way ${migrationOption}, not to DAMM v2`;
    return fact("locked_liquidity", false, text);
  }
  const whose = `${creatorLockedPercent} % for the creator, ${partnerLockedPercent} % for the partner ${partner}`;
  const all = lockedPercent(config);
  return fact(
    "locked_liquidity",
    all === 100,
    `${all} % of the liquidity will be locked permanently at migration: ${whose}`,
  );
}

export function lockedPercent(config: CurveConfig): number {
  return config.creatorLockedPercent + config.partnerLockedPercent;
}
