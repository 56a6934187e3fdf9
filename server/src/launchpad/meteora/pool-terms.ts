import {
  BaseFeeMode,
  FEE_DENOMINATOR,
  feeNumeratorToBps,
  getFeeSchedulerMinBaseFeeNumerator,
  MAX_MIGRATED_POOL_FEE_BPS,
  MigrationFeeOption,
  type PoolConfig,
  PROTOCOL_FEE_PERCENT,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { CurveKnot } from "@tokenctl/shared/types";
import { priceInSol } from "../../domain/market.ts";
import type { PoolTerms } from "../../domain/pool-terms.ts";
import { readAccounts } from "../../solana/connection.ts";
import { ChainUnavailableError } from "../errors.ts";
import { decodePoolConfig, toBigInt } from "./accounts.ts";
import type { ConfigTerms } from "./config-terms.ts";
import { priced } from "./market-reader.ts";
import { type MeteoraPrograms, meteoraPrograms } from "./programs.ts";
import { partnerCreationLamports } from "./revenue.ts";

/** The fees of Meteora's own DAMM v2 configs, by `MigrationFeeOption`; hundredths of a percent. */
export const FIXED_BPS: Readonly<Record<number, number>> = {
  [MigrationFeeOption.FixedBps25]: 25,
  [MigrationFeeOption.FixedBps30]: 30,
  [MigrationFeeOption.FixedBps100]: 100,
  [MigrationFeeOption.FixedBps200]: 200,
  [MigrationFeeOption.FixedBps400]: 400,
  [MigrationFeeOption.FixedBps600]: 600,
};

export async function readPoolTerms(
  connection: Connection,
  programs: MeteoraPrograms,
  config: PublicKey,
): Promise<PoolTerms> {
  const [account] = await readAccounts(connection, [config]);
  if (!account) throw new ChainUnavailableError(`DBC_CONFIG ${config} is not on this cluster`);
  try {
    return poolTerms(config, decodePoolConfig(programs, account));
  } catch (error) {
    const text = `DBC_CONFIG ${config} is not a config of Dynamic Bonding Curve`;
    throw new ChainUnavailableError(text, error);
  }
}

export function poolTerms(address: PublicKey, config: PoolConfig): PoolTerms {
  const { baseFee } = config.poolFees;
  return {
    config: address.toBase58(),
    fees: {
      bondingCurve: {
        startBps: feeNumeratorToBps(baseFee.cliffFeeNumerator),
        endBps: feeNumeratorToBps(lastFeeNumerator(baseFee)),
        creatorSharePercent: config.creatorTradingFeePercentage,
      },
      liquidityPool: {
        startBps: migratedBps(config),
        endBps: migratedBps(config),
        // The pool's fees belong to the owner of the liquidity.
        creatorSharePercent:
          config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage,
      },
    },
    curve: curveKnots(config),
  };
}

/** Source of the sum: `getDeltaAmountQuoteUnsigned` of the DBC SDK. */
function curveKnots(config: PoolConfig): CurveKnot[] {
  const end = toBigInt(config.migrationSqrtPrice);
  const knot = (raised: bigint, sqrtPrice: bigint): CurveKnot => ({
    raisedSOL: lamportsToSol(raised),
    priceSOL: priceInSol(priced(sqrtPrice, { supply: 0n, decimals: config.tokenDecimal }).price),
  });
  let [raised, sqrtPrice] = [0n, toBigInt(config.sqrtStartPrice)];
  const knots = [knot(raised, sqrtPrice)];
  for (const point of config.curve) {
    const upTo = toBigInt(point.sqrtPrice);
    const isLast = upTo >= end;
    const next = isLast ? end : upTo;
    raised += (toBigInt(point.liquidity) * (next - sqrtPrice)) >> 128n;
    sqrtPrice = next;
    knots.push(knot(raised, sqrtPrice));
    if (isLast) break;
  }
  return knots;
}

function migratedBps({ migrationFeeOption, migratedPoolFeeBps }: PoolConfig): number {
  return FIXED_BPS[migrationFeeOption] ?? migratedPoolFeeBps;
}

/** What the fee falls to once the schedule is over; a limit on the size of trades changes none of it. */
function lastFeeNumerator(fee: PoolConfig["poolFees"]["baseFee"]) {
  if (fee.baseFeeMode === BaseFeeMode.RateLimiter) return fee.cliffFeeNumerator;
  return getFeeSchedulerMinBaseFeeNumerator(
    fee.cliffFeeNumerator,
    fee.firstFactor,
    fee.thirdFactor,
    fee.baseFeeMode,
  );
}

/** The fee of each trade, in percent of the amount, and its three shares, which add up to the fee. */
export interface FeeSplit {
  readonly fee: number;
  /** The pool's creator: the agent. */
  readonly agent: number;
  /** The config's partner: the operator, if the config is the operator's. */
  readonly partner: number;
  readonly protocol: number;
}

export interface Earnings {
  /** Base58 address; only it can take the partner's share. */
  readonly partner: string;
  readonly curve: FeeSplit;
  /** In the DAMM v2 pool that the curve becomes. */
  readonly pool: FeeSplit;
  /** What a new token pays beside its rent, and the partner's share of it; lamports. */
  readonly creation: { readonly fee: bigint; readonly partner: bigint };
}

/**
 * Reads from a config who earns what, of a pool's first trades if the fee changes. Both programs
 * keep the same share of every fee (`PROTOCOL_FEE_PERCENT` of the DBC SDK).
 */
export async function readEarnings(connection: Connection, config: PublicKey): Promise<Earnings> {
  const [account] = await readAccounts(connection, [config]);
  if (!account) throw new Error(`DBC_CONFIG ${config} is not on this cluster.`);
  const decoded = decodePoolConfig(meteoraPrograms(connection), account);
  const curveFee = (100 * decoded.poolFees.baseFee.cliffFeeNumerator.toNumber()) / FEE_DENOMINATOR;
  const poolFee = migratedBps(decoded) / 100;
  const agentLiquidity =
    decoded.creatorPermanentLockedLiquidityPercentage +
    decoded.creatorLiquidityPercentage +
    decoded.creatorLiquidityVestingInfo.vestingPercentage;
  return {
    partner: decoded.feeClaimer.toBase58(),
    curve: split(curveFee, decoded.creatorTradingFeePercentage),
    pool: split(poolFee, agentLiquidity),
    creation: creationOf(BigInt(`${decoded.poolCreationFee}`)),
  };
}

export function earningsUnder(
  terms: Pick<ConfigTerms, "feeBps" | "creatorShare" | "creationLamports">,
): Omit<Earnings, "partner"> {
  const { feeBps, creatorShare, creationLamports } = terms;
  return {
    curve: split(feeBps / 100, creatorShare),
    pool: split(Math.min(feeBps, MAX_MIGRATED_POOL_FEE_BPS) / 100, creatorShare),
    creation: creationOf(creationLamports),
  };
}

function creationOf(fee: bigint): Earnings["creation"] {
  return { fee, partner: partnerCreationLamports(fee) };
}

/** @param agentShare the agent's part of what Meteora leaves, in percent */
function split(fee: number, agentShare: number): FeeSplit {
  const protocol = (fee * PROTOCOL_FEE_PERCENT) / 100;
  const rest = fee - protocol;
  const agent = (rest * agentShare) / 100;
  return { fee, agent, partner: (rest * (100 - agentShare)) / 100, protocol };
}
