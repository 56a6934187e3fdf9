import type { dbc } from "./dbc.ts";
import type { AccountOf } from "./program.ts";

// What the fields of a config of Dynamic Bonding Curve mean. Source of all numbers: DBC SDK 1.5.12.

export type CurveConfig = AccountOf<typeof dbc, "PoolConfig">;

/** What both of Meteora's programs keep of each fee. */
export const PROTOCOL_FEE_PERCENT = 20;
/** What DBC keeps of the fee for a new pool. */
export const PROTOCOL_CREATION_FEE_PERCENT = 10;
export const MAX_MIGRATED_POOL_FEE_BPS = 1_000;
/** Fees are parts of it. */
export const FEE_DENOMINATOR = 1_000_000_000n;
const PARTS_PER_BPS = FEE_DENOMINATOR / 10_000n;

/** Of `migration_option`. */
export const TO_DAMM_V2 = 1;
/** Of `collect_fee_mode` and `migrated_collect_fee_mode`. */
export const QUOTE_TOKEN = 0;
/** Of `migration_fee_option`: the config sets the fee, and which token it is in. */
export const CUSTOMIZABLE = 6;
/** The fees of Meteora's own DAMM v2 configs by `migration_fee_option`; hundredths of a percent. */
export const FIXED_BPS: readonly number[] = [25, 30, 100, 200, 400, 600];

/** @returns the fee in the pool after the curve, in hundredths of a percent */
export function migratedBps({ migrationFeeOption, migratedPoolFeeBps }: CurveConfig): number {
  return FIXED_BPS[migrationFeeOption] ?? migratedPoolFeeBps;
}

/** @returns the first and the last fee of a curve, in hundredths of a percent; the last is null if its mode is not known */
export function curveBps(fee: CurveConfig["poolFees"]["baseFee"]) {
  const { cliffFeeNumerator: cliff, thirdFactor: reduction, baseFeeMode } = fee;
  const periods = BigInt(fee.firstFactor);
  const asBps = (parts: bigint) => Number(parts / PARTS_PER_BPS);
  const ends = [
    () => cliff - periods * reduction, // FeeSchedulerLinear
    () => reduced(cliff, reduction, periods), // FeeSchedulerExponential
    () => cliff, // RateLimiter: a limit on the size of trades changes no fee
  ];
  const end = ends[baseFeeMode];
  return { start: asBps(cliff), end: end ? asBps(end()) : null };
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

/** @returns the lamports that a curve has raised at each of its knots, and the root of its price × 2⁶⁴ there */
export function curvePoints({
  sqrtStartPrice,
  migrationSqrtPrice: end,
  curve,
}: CurveConfig): { readonly raised: bigint; readonly sqrtPrice: bigint }[] {
  let last = { raised: 0n, sqrtPrice: sqrtStartPrice };
  const points = [last];
  for (const { sqrtPrice: upTo, liquidity } of curve) {
    const sqrtPrice = upTo < end ? upTo : end;
    // Source of the sum: `getDeltaAmountQuoteUnsigned`.
    last = {
      raised: last.raised + ((liquidity * (sqrtPrice - last.sqrtPrice)) >> 128n),
      sqrtPrice,
    };
    points.push(last);
    if (sqrtPrice === end) break;
  }
  return points;
}
