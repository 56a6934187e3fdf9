import type { dbc } from "./dbc.ts";
import type { AccountOf } from "./program.ts";

// What the fields of a config of Dynamic Bonding Curve mean. Source of all numbers: DBC SDK 1.5.12.

/** Between them every price lies, as roots × 2⁶⁴. */
export const MIN_SQRT_PRICE = 4_295_048_016n;
export const MAX_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;

export type CurveConfig = AccountOf<typeof dbc, "PoolConfig">;

/** What both of Meteora's programs keep of each fee. */
export const PROTOCOL_FEE_PERCENT = 20;
/** What DBC keeps of the fee for a new pool. */
export const PROTOCOL_CREATION_FEE_PERCENT = 10;
export const MAX_MIGRATED_POOL_FEE_BPS = 1_000;
/** No fee is higher, whatever adds to it. */
export const MAX_FEE_PERCENT = 99;
/** Fees are parts of it. */
export const FEE_DENOMINATOR = 1_000_000_000n;
const PARTS_PER_BPS = FEE_DENOMINATOR / 10_000n;

/** Of `migration_option`. */
export const TO_DAMM_V2 = 1;
/** Of `collect_fee_mode` and `migrated_collect_fee_mode`. */
export const QUOTE_TOKEN = 0;
/** Of `migrated_collect_fee_mode`: part of each fee stays in the pool. */
export const COMPOUNDING = 2;
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

/** @returns the price, and what was sold, once a curve has raised this many lamports; null if it cannot */
export function soldFor(
  { sqrtStartPrice, curve }: CurveConfig,
  raise: bigint,
): { readonly sqrtPrice: bigint; readonly sold: bigint } | null {
  let [left, sqrtPrice, sold] = [raise, sqrtStartPrice, 0n];
  for (const { sqrtPrice: upTo, liquidity } of curve) {
    if (liquidity === 0n || upTo <= sqrtPrice) return null;
    // Sources: `get_migration_threshold_price` and `get_base_token_for_swap` of the program.
    const whole = divUp(liquidity * (upTo - sqrtPrice), ONE * ONE);
    const next = whole > left ? sqrtPrice + (left * ONE * ONE) / liquidity : upTo;
    sold += divUp(liquidity * (next - sqrtPrice), sqrtPrice * next);
    left -= whole > left ? left : whole;
    sqrtPrice = next;
    if (left === 0n) return { sqrtPrice, sold };
  }
  return null;
}

/** @returns the tokens that go beside this many lamports into the pool after a curve */
export function pooledWith(config: CurveConfig, lamports: bigint): bigint {
  const price = config.migrationSqrtPrice;
  if (config.migratedCollectFeeMode === COMPOUNDING) {
    return divUp(lamports * ONE * ONE, price * price);
  }
  const liquidity = (lamports * ONE * ONE) / (price - MIN_SQRT_PRICE);
  return divUp(liquidity * (MAX_SQRT_PRICE - price), price * MAX_SQRT_PRICE);
}

function divUp(number: bigint, by: bigint): bigint {
  return (number + by - 1n) / by;
}
