import { decode, type ValueOf } from "@tokenctl/shared/programs/codec";
import {
  baseFeeAfter,
  COMPOUNDING,
  CUSTOMIZABLE,
  type CurveConfig,
  curveBps,
  FEE_DENOMINATOR,
  FIXED_BPS,
  MAX_FEE_PERCENT,
  mostVolatilityFee,
  QUOTE_TOKEN,
  RATE_LIMITER,
  SHAPES,
  UNITS,
} from "@tokenctl/shared/programs/curve-terms";
import { MARKET_CAP_SCHEDULER, TIME_SCHEDULER } from "@tokenctl/shared/programs/damm-v2";
import { MARKET_CAP_SCHEDULE } from "@tokenctl/shared/programs/dbc";
import { formatSol } from "@tokenctl/shared/sol";
import type { FactName } from "@tokenctl/shared/types";
import type { LiquidityPool } from "../internal/chain-accounts.ts";
import { costs, type Finding, safe, unknown } from "./facts.ts";

/** A fee in words, its last value, and the highest that a trade can pay; percent. */
interface Fee {
  readonly text: string;
  readonly last: number;
  readonly highest: number;
}

type Read = Fee | string;

type DynamicFee = CurveConfig["poolFees"]["dynamicFee"];

const asPercent = (parts: bigint) => Number((parts * 1_000_000n) / FEE_DENOMINATOR) / 10_000;
const flat = (first: number): Fee => ({ text: `${first} %`, last: first, highest: first });

export function curveFeeFacts(config: CurveConfig, passed: bigint | null): Finding[] {
  const { creatorTradingFeePercentage: share, collectFeeMode, enableFirstSwapWithMinFee } = config;
  const [fee, atFirst] = [passed, 0n].map((time) =>
    withDynamic(curveFee(config, time), config.poolFees.dynamicFee),
  ) as [Read, Read];
  const first = firstBuy(atFirst, enableFirstSwapWithMinFee);
  if (collectFeeMode > 1) return [unknown("curve_fees", `the fee mode ${collectFeeMode}`), first];
  const where = collectFeeMode === QUOTE_TOKEN ? "" : ", in SOL or in the token";
  return [feeFact("curve_fees", fee, where, share), first];
}

function feeFact(name: FactName, fee: Read, where: string, share: number): Finding {
  if (typeof fee === "string") return unknown(name, fee);
  if (share > 100) return unknown(name, `a share of ${share} %`);
  const who = `of what the protocol leaves, the creator gets ${share} % and the partner ${100 - share} %`;
  return costs(name, fee.highest, `${fee.text} of each trade${where}; ${who}`);
}

function firstBuy(fee: Read, flag: number): Finding {
  if (flag === 0) return safe("first_buy", "pays the same fee as every other");
  if (flag !== 1) return unknown("first_buy", `the value ${flag}`);
  if (typeof fee === "string") return unknown("first_buy", fee);
  const spared = Number((fee.highest - fee.last).toFixed(4));
  const text = `pays only the lowest fee, ${fee.last} %, if it is made with the launch`;
  return costs("first_buy", spared, text);
}

function curveFee(config: CurveConfig, passed: bigint | null): Read {
  const { poolFees, activationType } = config;
  const { firstFactor, secondFactor, thirdFactor, baseFeeMode } = poolFees.baseFee;
  const unit = UNITS[activationType];
  if (unit === undefined) return `time in the way ${activationType}`;
  const { start, end } = curveBps(poolFees.baseFee);
  const first = start / 100;
  const now = baseFeeAfter(config, passed ?? 0n);
  if (end === null || now === null) return `a schedule in the way ${baseFeeMode}`;
  const highest = asPercent(now);
  if (firstFactor === 0 && secondFactor === 0n && thirdFactor === 0n)
    return { ...flat(first), highest };
  if (baseFeeMode === RATE_LIMITER) {
    const isOver = passed !== null && passed > secondFactor;
    const text = `${first} %, and in the first ${secondFactor} ${unit} up to ${MAX_FEE_PERCENT} % for a large buy: ${firstFactor / 100} % more for each ${formatSol(thirdFactor)} SOL`;
    return { text, last: first, highest: isOver ? highest : MAX_FEE_PERCENT };
  }
  const last = end / 100;
  const how = SHAPES[baseFeeMode];
  const since = now === poolFees.baseFee.cliffFeeNumerator ? "" : `, now ${highest} %`;
  const text = `${first} %, later ${last} %, in ${firstFactor} ${how} steps of ${secondFactor} ${unit} (${thirdFactor})${since}`;
  return { text, last, highest };
}

function withDynamic(fee: Read, dynamic: DynamicFee): Read {
  const { initialized, binStep, binStepU128 } = dynamic;
  if (typeof fee === "string" || initialized === 0) return fee;
  if (initialized !== 1 || binStepU128 !== (BigInt(binStep) << 64n) / 10_000n) {
    return "the part of the fee that follows volatility";
  }
  const most = asPercent(mostVolatilityFee(dynamic));
  const { filterPeriod, decayPeriod, reductionFactor } = dynamic;
  const how = `filter ${filterPeriod} s, decay ${decayPeriod} s, ${reductionFactor / 100} % kept`;
  return volatile(fee, most, ` (${how})`);
}

function volatile(fee: Fee, most: number, how = ""): Fee {
  const highest = Math.min(MAX_FEE_PERCENT, Number((fee.highest + most).toFixed(4)));
  const text = `${fee.text}, and up to ${most} % more while the price moves${how},`;
  return { ...fee, highest, text };
}

/** Percent of the lowest base fee. Source: the program's `MAX_DYNAMIC_FEE_PERCENT`. */
const MOST_DYNAMIC_PERCENT = 20;

export function plannedPoolFee(config: CurveConfig, share: number): Finding {
  const { migratedCollectFeeMode: mode, migratedCompoundingFeeBps: kept } = config;
  // The two programs number the first two modes in opposite order.
  const where = wherePaid([1, 0, COMPOUNDING][mode], kept);
  if (where === null) return unknown("pool_fees", `the fee mode ${mode}, with ${kept} bps`);
  return feeFact("pool_fees", plannedFee(config), where, share);
}

function plannedFee(config: CurveConfig): Read {
  const { migrationFeeOption: option, migratedPoolFeeBps: bps, migratedDynamicFee } = config;
  const { migratedPoolBaseFeeMode: mode, migratedPoolBaseFeeBytes: bytes } = config;
  const fixed = FIXED_BPS[option];
  const isPlain = bytes.every((byte) => byte === 0) && mode <= 1;
  if (fixed !== undefined) {
    const own = bps + migratedDynamicFee + mode + config.migratedCollectFeeMode;
    return own === 0 && isPlain ? flat(fixed / 100) : "terms besides those of Meteora's config";
  }
  if (option !== CUSTOMIZABLE) return `the option ${option}`;
  const base = isPlain
    ? flat(bps / 100)
    : marketCapFee(bps / 100, mode, decode(MARKET_CAP_SCHEDULE, bytes));
  if (typeof base === "string" || migratedDynamicFee === 0) return base;
  if (migratedDynamicFee !== 1) return `the dynamic fee ${migratedDynamicFee}`;
  return volatile(base, Number(((base.last * MOST_DYNAMIC_PERCENT) / 100).toFixed(4)));
}

const MARKET_CAP_MODES = [3, 4];

function marketCapFee(
  first: number,
  mode: number,
  schedule: ValueOf<typeof MARKET_CAP_SCHEDULE>,
): Read {
  if (!MARKET_CAP_MODES.includes(mode)) return `a schedule in the way ${mode}`;
  const { numberOfPeriod, sqrtPriceStepBps, schedulerExpirationDuration, reductionFactor } =
    schedule;
  // Modes 3 and 4 are modes 0 and 1 of a curve.
  const { end } = curveBps({
    cliffFeeNumerator: BigInt(Math.round(first * 10_000_000)),
    baseFeeMode: mode - 3,
    firstFactor: numberOfPeriod,
    secondFactor: 0n,
    thirdFactor: reductionFactor,
  });
  const last = (end ?? 0) / 100;
  const how = `in ${numberOfPeriod} ${SHAPES[mode - 3]} steps (${reductionFactor}) as the root of the price rises by ${sqrtPriceStepBps / 100} % each`;
  const text = `${first} %, later ${last} %, ${how}, and ${last} % after ${schedulerExpirationDuration} s`;
  return { text, last, highest: first };
}

export function poolFee(pool: LiquidityPool, share: number): Finding {
  const { baseFee, dynamicFee, compoundingFeeBps, protocolFeePercent, referralFeePercent } =
    pool.poolFees;
  const where = wherePaid(pool.collectFeeMode, compoundingFeeBps);
  const terms = `the fee mode ${pool.collectFeeMode}, with ${compoundingFeeBps} bps`;
  if (where === null) return unknown("pool_fees", terms);
  const protocol = `, and the protocol keeps ${protocolFeePercent} % of that (a referrer ${referralFeePercent} % of its part)`;
  const fee = withDynamic(poolBaseFee(baseFee.baseFeeInfo), dynamicFee);
  return feeFact("pool_fees", fee, where + protocol, share);
}

function poolBaseFee(info: Uint8Array): Read {
  const time = decode(TIME_SCHEDULER, info);
  const { cliffFeeNumerator, baseFeeMode: mode } = time;
  const first = asPercent(cliffFeeNumerator);
  if (mode > 1) return marketCapFee(first, mode, decode(MARKET_CAP_SCHEDULER, info));
  const { numberOfPeriod, periodFrequency, reductionFactor } = time;
  if (numberOfPeriod === 0 && periodFrequency === 0n && reductionFactor === 0n) return flat(first);
  // No curve migrates to a pool whose fee changes with time.
  return `a schedule of ${numberOfPeriod} steps of ${periodFrequency} s (${reductionFactor})`;
}

const IN_BOTH = ", in SOL or in the token";

/** Returns where a fee mode of DAMM v2 takes the fee, in words; null if the mode is not known. */
function wherePaid(mode: number | undefined, compoundingBps: number): string | null {
  if (mode === COMPOUNDING) return `${IN_BOTH}, ${compoundingBps / 100} % of it for the pool`;
  if (compoundingBps !== 0) return null;
  return [IN_BOTH, ""][mode ?? -1] ?? null;
}
