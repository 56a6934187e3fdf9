import type { Connection, PublicKey } from "@solana/web3.js";
import {
  type CurveConfig,
  curveBps,
  curvePoints,
  FEE_DENOMINATOR,
  MAX_MIGRATED_POOL_FEE_BPS,
  migratedBps,
  PROTOCOL_FEE_PERCENT,
} from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { readAccount } from "@tokenctl/shared/programs/program";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { type PoolTerms, priceInSol } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { ChainUnavailableError } from "../errors.ts";
import type { ConfigTerms } from "./config-terms.ts";
import { priced } from "./market-reader.ts";
import { partnerCreationLamports } from "./revenue.ts";

export async function readPoolTerms(connection: Connection, config: PublicKey): Promise<PoolTerms> {
  const [account] = await readAccounts(connection, [config]);
  if (!account) throw new ChainUnavailableError(`DBC_CONFIG ${config} is not on this cluster`);
  try {
    return poolTerms(config, readAccount(dbc, "PoolConfig", account));
  } catch (error) {
    const text = `DBC_CONFIG ${config} is not a config of Dynamic Bonding Curve`;
    throw new ChainUnavailableError(text, error);
  }
}

export function poolTerms(address: PublicKey, config: CurveConfig): PoolTerms {
  const { start, end } = curveBps(config.poolFees.baseFee);
  const decimals = config.tokenDecimal;
  return {
    config: address.toBase58(),
    fees: {
      bondingCurve: {
        startBps: start,
        endBps: end ?? start,
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
  const decoded = readAccount(dbc, "PoolConfig", account);
  const curveFee =
    (100 * Number(decoded.poolFees.baseFee.cliffFeeNumerator)) / Number(FEE_DENOMINATOR);
  const poolFee = migratedBps(decoded) / 100;
  const agentLiquidity =
    decoded.creatorPermanentLockedLiquidityPercentage +
    decoded.creatorLiquidityPercentage +
    decoded.creatorLiquidityVestingInfo.vestingPercentage;
  return {
    partner: decoded.feeClaimer,
    curve: split(curveFee, decoded.creatorTradingFeePercentage),
    pool: split(poolFee, agentLiquidity),
    creation: creationOf(decoded.poolCreationFee),
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
