import type { Connection, PublicKey } from "@solana/web3.js";
import {
  baseFeeAfter,
  buysFirstAtLowestFee,
  type CurveConfig,
  type CurveFees,
  curveBps,
  curvePoints,
  FEE_DENOMINATOR,
  feeSteps,
  firstBuyFee,
  migratedBps,
  mostVolatilityFee,
  PROTOCOL_CREATION_FEE_PERCENT,
  PROTOCOL_FEE_PERCENT,
} from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { TradeFee } from "@tokenctl/shared/types";
import { type PoolTerms, priceInSol } from "../../domain/token.ts";
import { readMsPerBlock } from "../../solana/cluster-pace.ts";
import { readAccounts } from "../../solana/connection.ts";
import { ChainUnavailableError } from "../errors.ts";
import { priced } from "./market-reader.ts";
import { creatorLiquidity, tryRead } from "./programs.ts";

export function poolTerms(address: PublicKey, config: CurveConfig): PoolTerms {
  const decimals = config.tokenDecimal;
  return {
    config: address.toBase58(),
    fees: {
      bondingCurve: {
        ...curveFee(config),
        creatorSharePercent: config.creatorTradingFeePercentage,
      },
      liquidityPool: {
        startBps: migratedBps(config),
        endBps: migratedBps(config),
        // The pool's fees belong to the owner of the liquidity.
        creatorSharePercent: creatorLiquidity(config),
      },
    },
    curve: curvePoints(config).map(({ raised, sqrtPrice }) => ({
      raisedSOL: lamportsToSol(raised),
      priceSOL: priceInSol(priced(sqrtPrice, { supply: 0n, decimals }).price),
    })),
    once: {
      creationSOL: lamportsToSol(config.poolCreationFee),
      migrationPercent: config.migrationFeePercentage,
    },
  };
}

function curveFee(config: CurveConfig): Omit<TradeFee, "creatorSharePercent"> {
  const { start, end } = curveBps(config.poolFees.baseFee);
  const [falls, first] = [feeSteps(config), firstBuyFee(config)];
  const { shape = "linear", steps = 0, every: seconds = 0 } = falls ?? {};
  const volatility = mostVolatilityFee(config.poolFees.dynamicFee);
  return {
    startBps: start,
    endBps: end ?? start,
    ...(falls?.unit === "s" && { schedule: { shape, steps, seconds } }),
    ...(volatility > 0n && { volatilityBps: 100 * percentOf(volatility) }),
    ...(buysFirstAtLowestFee(config) && first !== null && { firstBuyBps: 100 * percentOf(first) }),
  };
}

const percentOf = (parts: bigint) => (100 * Number(parts)) / Number(FEE_DENOMINATOR);

/** The fee of each trade in percent of the amount, and its three parts, which add up to it. */
export interface FeeSplit {
  readonly fee: number;
  /** The pool's creator: the agent. */
  readonly agent: number;
  /** The config's partner: the operator, if the config is the operator's. */
  readonly partner: number;
  readonly protocol: number;
}

/** A config's fees and liquidity, on chain or before it is created. */
export interface ConfigFees
  extends CurveFees,
    Pick<
      CurveConfig,
      | "creatorTradingFeePercentage"
      | "migrationFeeOption"
      | "migratedPoolFeeBps"
      | "creatorPermanentLockedLiquidityPercentage"
      | "creatorLiquidityPercentage"
      | "partnerPermanentLockedLiquidityPercentage"
      | "poolCreationFee"
    > {
  readonly creatorLiquidityVestingInfo: Pick<
    CurveConfig["creatorLiquidityVestingInfo"],
    "vestingPercentage" | "cliffDurationFromMigrationTime" | "frequency" | "numberOfPeriods"
  >;
}

/**
 * Reads the terms of a config, and who earns what under it.
 * @returns `partner`: the base58 address that alone can take the partner's share
 * @throws {ChainUnavailableError} if the account is not on the cluster, or is not a config
 */
export async function readEarnings(connection: Connection, address: PublicKey) {
  const [account] = await readAccounts(connection, [address]);
  const config = tryRead(account, [dbc, "PoolConfig"], address);
  if (config instanceof Error) throw new ChainUnavailableError(`DBC_CONFIG: ${config.message}`);
  // Configs of `tokend config create` count in seconds; others need the duration of a slot.
  const msPerSlot = config.activationType === BY_SLOTS ? await readMsPerBlock(connection) : null;
  const earnings = earningsUnder(config, msPerSlot ?? undefined);
  return { partner: config.feeClaimer, terms: poolTerms(address, config), ...earnings };
}

const BY_SLOTS = 0;
const SHOWN_SECONDS = [10, 60, 300, 600, 1_800, 3_600];

export type Earnings = ReturnType<typeof earningsUnder>;

/**
 * Returns who earns what under a config, in percent of each trade: in the first second on the curve;
 * later, if the fee falls, until it stops falling; in an agent's first buy, if that is less; and in
 * the DAMM v2 pool. Both programs keep the same share of every fee.
 */
export function earningsUnder(config: ConfigFees, msPerSlot = 400) {
  const { creatorTradingFeePercentage: share } = config;
  const isBySlots = config.activationType === BY_SLOTS;
  const at = (seconds: number) => {
    const passed = isBySlots ? Math.floor((seconds * 1000) / msPerSlot) : seconds;
    const fee = baseFeeAfter(config, BigInt(passed)) ?? config.poolFees.baseFee.cliffFeeNumerator;
    return split(percentOf(fee), share);
  };
  const { steps = 0, every = 0, unit = "s" } = feeSteps(config) ?? {};
  const end = Math.ceil((steps * every * (unit === "s" ? 1000 : msPerSlot)) / 1000);
  const times = steps === 0 ? [] : [...SHOWN_SECONDS.filter((time) => time < end), end];
  const first = buysFirstAtLowestFee(config) ? firstBuyFee(config) : null;
  const { vestingPercentage, ...vesting } = config.creatorLiquidityVestingInfo;
  const fee = config.poolCreationFee;
  return {
    curve: at(0),
    later: times.map((seconds) => ({ seconds, ...at(seconds) })),
    firstBuy: first === null ? null : split(percentOf(first), share),
    /** The most that a moving price adds to the fee on the curve, in percent. */
    volatility: percentOf(mostVolatilityFee(config.poolFees.dynamicFee)),
    pool: split(migratedBps(config) / 100, creatorLiquidity(config)),
    /** What a new token pays besides its rent, and the partner's share of it, in lamports. */
    creation: { fee, partner: partnerCreationLamports(fee) },
    /** Percent of the migrated liquidity that no wallet can ever withdraw. */
    locked:
      config.creatorPermanentLockedLiquidityPercentage +
      config.partnerPermanentLockedLiquidityPercentage,
    /** Percent of it that the agent can withdraw over time, and seconds until all. */
    vesting: {
      share: vestingPercentage,
      seconds: vesting.cliffDurationFromMigrationTime + vesting.frequency * vesting.numberOfPeriods,
    },
  };
}

export function partnerCreationLamports(paid: bigint): bigint {
  return paid - (paid * BigInt(PROTOCOL_CREATION_FEE_PERCENT)) / 100n;
}

/** @param agentShare the agent's share of what Meteora leaves, in percent */
function split(fee: number, agentShare: number): FeeSplit {
  const protocol = (fee * PROTOCOL_FEE_PERCENT) / 100;
  const rest = fee - protocol;
  const agent = (rest * agentShare) / 100;
  return { fee, agent, partner: (rest * (100 - agentShare)) / 100, protocol };
}
