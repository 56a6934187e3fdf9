import type { dbc } from "./dbc.ts";
import type { AccountOf } from "./program.ts";

// The fields of a Dynamic Bonding Curve config. Source of all numbers: DBC SDK 1.5.12.

/** The bounds of every price, as square roots × 2⁶⁴. */
export const MIN_SQRT_PRICE = 4_295_048_016n;
export const MAX_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;

export type CurveConfig = AccountOf<typeof dbc, "PoolConfig">;

/** The share of each fee that both of Meteora's programs keep. */
export const PROTOCOL_FEE_PERCENT = 20;
/** The share of the creation fee for a new pool that DBC keeps. */
export const PROTOCOL_CREATION_FEE_PERCENT = 10;
export const MAX_MIGRATED_POOL_FEE_BPS = 1_000;
/** The maximum of any total fee. */
export const MAX_FEE_PERCENT = 99;
/** Fees are fractions with this denominator. */
export const FEE_DENOMINATOR = 1_000_000_000n;

/** A value of `migration_option`. */
export const TO_DAMM_V2 = 1;
/** A value of `collect_fee_mode` and `migrated_collect_fee_mode`. */
export const QUOTE_TOKEN = 0;
/** A value of `migrated_collect_fee_mode`: part of each fee stays in the pool. */
export const COMPOUNDING = 2;
/** A value of `migration_fee_option`: the config sets the fee and the token that it is in. */
export const CUSTOMIZABLE = 6;
/** The fees of Meteora's DAMM v2 configs by `migration_fee_option`, in hundredths of a percent. */
export const FIXED_BPS: readonly number[] = [25, 30, 100, 200, 400, 600];

/** Returns the fee of the pool after the curve, in hundredths of a percent. */
export function migratedBps({
  migrationFeeOption,
  migratedPoolFeeBps,
}: Pick<CurveConfig, "migrationFeeOption" | "migratedPoolFeeBps">): number {
  return FIXED_BPS[migrationFeeOption] ?? migratedPoolFeeBps;
}

type BaseFee = Omit<CurveConfig["poolFees"]["baseFee"], "_padding0">;

/** Values of `base_fee_mode`. The third depends on the trade's size; new configs cannot have it. */
export const SHAPES = ["linear", "exponential"] as const;
export const RATE_LIMITER = 2;
/** The values of `activation_type`. */
export const UNITS = ["slots", "s"] as const;

/** Returns the fees at the start and the end of a curve; `end` is null if the mode is unknown. */
export function curveBps(fee: BaseFee) {
  const asBps = (parts: bigint) => Number(parts / (FEE_DENOMINATOR / 10_000n));
  const end = afterSteps(fee, BigInt(fee.firstFactor));
  return { start: asBps(fee.cliffFeeNumerator), end: end === null ? null : asBps(end) };
}

/** How a fee falls: by equal amounts, or by an equal share of the rest with each step. */
export interface FeeSteps {
  readonly shape: (typeof SHAPES)[number];
  readonly steps: number;
  /** The duration of a step, in `unit`. */
  readonly every: number;
  readonly unit: (typeof UNITS)[number];
}

/** Returns null if the fee is constant, or changes in an unknown way. */
export function feeSteps({ poolFees, activationType }: CurveFees): FeeSteps | null {
  const { firstFactor: steps, secondFactor, baseFeeMode } = poolFees.baseFee;
  const [shape, unit] = [SHAPES[baseFeeMode], UNITS[activationType]];
  if (steps === 0 || secondFactor === 0n || !shape || !unit) return null;
  return { shape, steps, every: Number(secondFactor), unit };
}

/** The fields of a config that decide the fee on its curve. */
export interface CurveFees
  extends Pick<CurveConfig, "activationType" | "enableFirstSwapWithMinFee"> {
  readonly poolFees: { readonly baseFee: BaseFee; readonly dynamicFee: DynamicFee };
}

type DynamicFee = Pick<
  CurveConfig["poolFees"]["dynamicFee"],
  "initialized" | "binStep" | "maxVolatilityAccumulator" | "variableFeeControl"
>;

/**
 * @param passed since trading began, in the config's slots or seconds
 * @returns the fee without volatility, in parts of `FEE_DENOMINATOR`; null if the mode is unknown
 */
export function baseFeeAfter({ poolFees: { baseFee } }: CurveFees, passed: bigint): bigint | null {
  const { firstFactor, secondFactor: every, baseFeeMode } = baseFee;
  const most = BigInt(firstFactor);
  const isFlat = every === 0n || baseFeeMode === RATE_LIMITER;
  const steps = isFlat ? 0n : passed / every;
  return afterSteps(baseFee, steps < most ? steps : most);
}

/** Returns the fee of a buy in the transaction that creates the pool, like `baseFeeAfter`. */
export function firstBuyFee(config: CurveFees): bigint | null {
  const { baseFee } = config.poolFees;
  return afterSteps(baseFee, buysFirstAtLowestFee(config) ? BigInt(baseFee.firstFactor) : 0n);
}

/** Returns whether a buy in the transaction that creates the pool pays only the lowest base fee. */
export function buysFirstAtLowestFee({
  enableFirstSwapWithMinFee,
}: Pick<CurveFees, "enableFirstSwapWithMinFee">): boolean {
  return enableFirstSwapWithMinFee === 1;
}

function afterSteps(fee: BaseFee, steps: bigint): bigint | null {
  const { cliffFeeNumerator: cliff, thirdFactor: reduction, baseFeeMode } = fee;
  if (baseFeeMode === 0) return cliff - steps * reduction;
  if (baseFeeMode === 1) return reduced(cliff, reduction, steps);
  // A limit on the size of trades does not change the fee.
  return baseFeeMode === RATE_LIMITER ? cliff : null;
}

/** Returns the maximum volatility fee, in parts of `FEE_DENOMINATOR`. */
export function mostVolatilityFee(fee: DynamicFee): bigint {
  return volatilityFee(fee, BigInt(fee.maxVolatilityAccumulator));
}

/** Returns parts of `FEE_DENOMINATOR`. Source: `get_variable_fee_numerator` of DBC and DAMM v2. */
export function volatilityFee(
  { initialized, binStep, variableFeeControl }: DynamicFee,
  accumulator: bigint,
): bigint {
  if (initialized === 0) return 0n;
  const square = (accumulator * BigInt(binStep)) ** 2n;
  return (square * BigInt(variableFeeControl) + 99_999_999_999n) / 100_000_000_000n;
}

const ONE = 1n << 64n;

/** Rounds as the program does, with 64 binary digits after the point. */
function reduced(cliff: bigint, reductionBps: bigint, periods: bigint): bigint {
  let factor = ONE;
  let base = ONE - (reductionBps << 64n) / 10_000n;
  for (let left = periods; left > 0n; left >>= 1n) {
    if (left & 1n) factor = (factor * base) >> 64n;
    base = (base * base) >> 64n;
  }
  return (cliff * factor) >> 64n;
}

/** Returns the lamports raised at each knot of a curve, and the root of its price × 2⁶⁴. */
export function curvePoints({
  sqrtStartPrice,
  migrationSqrtPrice: end,
  curve,
}: CurveConfig): { readonly raised: bigint; readonly sqrtPrice: bigint }[] {
  let last = { raised: 0n, sqrtPrice: sqrtStartPrice };
  const points = [last];
  for (const { sqrtPrice: upTo, liquidity } of curve) {
    const sqrtPrice = upTo < end ? upTo : end;
    // Source of the formula: `getDeltaAmountQuoteUnsigned`.
    last = {
      raised: last.raised + ((liquidity * (sqrtPrice - last.sqrtPrice)) >> 128n),
      sqrtPrice,
    };
    points.push(last);
    if (sqrtPrice === end) break;
  }
  return points;
}

/** Returns how far this many lamports move a curve's price, and what is left at its end. */
export function soldUpTo({ sqrtStartPrice, curve }: CurveConfig, raise: bigint) {
  let [left, sqrtPrice, sold] = [raise, sqrtStartPrice, 0n];
  for (const { sqrtPrice: upTo, liquidity } of curve) {
    if (left === 0n || liquidity === 0n || upTo <= sqrtPrice) break;
    // Sources: `get_migration_threshold_price` and `get_base_token_for_swap` of the program.
    const whole = divUp(liquidity * (upTo - sqrtPrice), ONE * ONE);
    const next = whole > left ? sqrtPrice + (left * ONE * ONE) / liquidity : upTo;
    sold += divUp(liquidity * (next - sqrtPrice), sqrtPrice * next);
    left -= whole > left ? left : whole;
    sqrtPrice = next;
  }
  return { sqrtPrice, sold, left };
}

/** Returns the tokens that go into the pool after the curve together with this many lamports. */
export function pooledWith(config: CurveConfig, lamports: bigint): bigint {
  const price = config.migrationSqrtPrice;
  if (config.migratedCollectFeeMode === COMPOUNDING) {
    return divUp(lamports * ONE * ONE, price * price);
  }
  const liquidity = (lamports * ONE * ONE) / (price - MIN_SQRT_PRICE);
  return divUp(liquidity * (MAX_SQRT_PRICE - price), price * MAX_SQRT_PRICE);
}

export const vestedBy = ({ lockedVestingConfig: it }: Pick<CurveConfig, "lockedVestingConfig">) =>
  it.cliffUnlockAmount + it.amountPerPeriod * it.numberOfPeriod;
export const unsoldBy = (config: CurveConfig) => config.migrationBaseThreshold + vestedBy(config);

/** Returns how many tokens a curve is made with. Source: `get_initial_base_supply` of the program. */
export function firstSupply(config: CurveConfig): bigint {
  if (config.fixedTokenSupplyFlag === 1) return config.preMigrationTokenSupply;
  // No more lamports can be raised than an integer of the chain holds.
  const { sold } = soldUpTo(config, 1n << 64n);
  const buffered = (config.swapBaseAmount * 125n) / 100n;
  return (buffered < sold ? buffered : sold) + unsoldBy(config);
}

function divUp(number: bigint, by: bigint): bigint {
  return (number + by - 1n) / by;
}
