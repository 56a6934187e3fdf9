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
export function migratedBps({
  migrationFeeOption,
  migratedPoolFeeBps,
}: Pick<CurveConfig, "migrationFeeOption" | "migratedPoolFeeBps">): number {
  return FIXED_BPS[migrationFeeOption] ?? migratedPoolFeeBps;
}

type BaseFee = Omit<CurveConfig["poolFees"]["baseFee"], "_padding0">;

/** Of `base_fee_mode`; the third depends on a trade's size, and no new config may have it. */
const SHAPES = ["linear", "exponential"] as const;
export const RATE_LIMITER = 2;
/** Of `activation_type`. */
const UNITS = ["slots", "s"] as const;

/** @returns the fee from which a curve's fee falls, and the one at which it ends; the latter is null if its mode is not known */
export function curveBps(fee: BaseFee) {
  const asBps = (parts: bigint) => Number(parts / PARTS_PER_BPS);
  const end = afterSteps(fee, BigInt(fee.firstFactor));
  return { start: asBps(fee.cliffFeeNumerator), end: end === null ? null : asBps(end) };
}

/** How a fee falls: in equal steps, or by an equal part of what is left with each step. */
export interface FeeSteps {
  readonly shape: (typeof SHAPES)[number];
  readonly steps: number;
  /** How long a step takes. */
  readonly every: number;
  readonly unit: (typeof UNITS)[number];
}

/** @returns null if the fee stays as it is, or in a way that is not known */
export function feeSteps({ poolFees, activationType }: CurveFees): FeeSteps | null {
  const { firstFactor: steps, secondFactor, baseFeeMode } = poolFees.baseFee;
  const [shape, unit] = [SHAPES[baseFeeMode], UNITS[activationType]];
  if (steps === 0 || secondFactor === 0n || !shape || !unit) return null;
  return { shape, steps, every: Number(secondFactor), unit };
}

/** What a config says of the fee on its curve. */
export interface CurveFees
  extends Pick<CurveConfig, "activationType" | "enableFirstSwapWithMinFee"> {
  readonly poolFees: { readonly baseFee: BaseFee; readonly dynamicFee: DynamicFee };
}

type DynamicFee = Pick<
  CurveConfig["poolFees"]["dynamicFee"],
  "initialized" | "binStep" | "maxVolatilityAccumulator" | "variableFeeControl"
>;

/**
 * @param passed since trading began, in slots or seconds as the config counts
 * @returns the fee of a trade then, without what volatility adds, in parts of `FEE_DENOMINATOR`; null if its mode is not known
 */
export function baseFeeAfter({ poolFees: { baseFee } }: CurveFees, passed: bigint): bigint | null {
  const { firstFactor, secondFactor: every, baseFeeMode } = baseFee;
  const most = BigInt(firstFactor);
  const isFlat = every === 0n || baseFeeMode === RATE_LIMITER;
  const steps = isFlat ? 0n : passed / every;
  return afterSteps(baseFee, steps < most ? steps : most);
}

/** @returns the fee of a buy in the transaction that creates the pool, as `baseFeeAfter` */
export function firstBuyFee(config: CurveFees): bigint | null {
  const { baseFee } = config.poolFees;
  return afterSteps(baseFee, buysFirstAtLowestFee(config) ? BigInt(baseFee.firstFactor) : 0n);
}

/** Whether a buy in the transaction that creates the pool pays the lowest fee, and none for volatility. */
export function buysFirstAtLowestFee({
  enableFirstSwapWithMinFee,
}: Pick<CurveFees, "enableFirstSwapWithMinFee">): boolean {
  return enableFirstSwapWithMinFee === 1;
}

function afterSteps(fee: BaseFee, steps: bigint): bigint | null {
  const { cliffFeeNumerator: cliff, thirdFactor: reduction, baseFeeMode } = fee;
  if (baseFeeMode === 0) return cliff - steps * reduction;
  if (baseFeeMode === 1) return reduced(cliff, reduction, steps);
  // A limit on the size of trades changes no fee.
  return baseFeeMode === RATE_LIMITER ? cliff : null;
}

/** @returns what a price that moves adds at most, in parts of `FEE_DENOMINATOR` */
export function mostVolatilityFee(fee: DynamicFee): bigint {
  return volatilityFee(fee, BigInt(fee.maxVolatilityAccumulator));
}

/** @returns what a price that moves adds, in parts of `FEE_DENOMINATOR`. Source: `get_variable_fee_numerator` of the program, and of DAMM v2's */
export function volatilityFee(
  { initialized, binStep, variableFeeControl }: DynamicFee,
  accumulator: bigint,
): bigint {
  if (initialized === 0) return 0n;
  const square = (accumulator * BigInt(binStep)) ** 2n;
  return (square * BigInt(variableFeeControl) + 99_999_999_999n) / 100_000_000_000n;
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
