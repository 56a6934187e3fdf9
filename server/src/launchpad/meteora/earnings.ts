import {
  FEE_DENOMINATOR,
  MAX_MIGRATED_POOL_FEE_BPS,
  MigrationFeeOption,
  PROTOCOL_FEE_PERCENT,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import { readAccounts } from "../../solana/read-accounts.ts";
import { decodePoolConfig } from "./accounts.ts";
import type { ConfigTerms } from "./config-terms.ts";
import { meteoraPrograms } from "./programs.ts";

/** The fee of each trade, in percent of the amount, and its three shares, which add up to the fee. */
export interface FeeSplit {
  readonly fee: number;
  /** The pool's creator: the agent. */
  readonly agent: number;
  /** The config's partner: the operator, if the config is the operator's. */
  readonly partner: number;
  /** Meteora. */
  readonly protocol: number;
}

/** Who earns what from tokens that are launched under a config. */
export interface Earnings {
  /** Base58 address; only it can take the partner's share. */
  readonly partner: string;
  /** On the bonding curve. */
  readonly curve: FeeSplit;
  /** In the DAMM v2 pool that the curve becomes. */
  readonly pool: FeeSplit;
}

/**
 * Fee of a pool in hundredths of a percent, if the config names one of Meteora's own configs. Source:
 * the names of `MigrationFeeOption` in the DBC SDK.
 */
const FIXED_BPS: Readonly<Record<number, number>> = {
  [MigrationFeeOption.FixedBps25]: 25,
  [MigrationFeeOption.FixedBps30]: 30,
  [MigrationFeeOption.FixedBps100]: 100,
  [MigrationFeeOption.FixedBps200]: 200,
  [MigrationFeeOption.FixedBps400]: 400,
  [MigrationFeeOption.FixedBps600]: 600,
};

/**
 * Reads from a config on chain who earns what. Both of Meteora's programs keep the same share of
 * every fee (`PROTOCOL_FEE_PERCENT` of the DBC SDK). If the fee changes with time, the result is that
 * of a pool's first trades.
 *
 * @throws {Error} the config does not exist
 */
export async function readEarnings(connection: Connection, config: PublicKey): Promise<Earnings> {
  const [account] = await readAccounts(connection, [config]);
  if (!account) throw new Error(`DBC_CONFIG ${config} is not on this cluster.`);
  const decoded = decodePoolConfig(meteoraPrograms(connection), account);
  const curveFee = (100 * decoded.poolFees.baseFee.cliffFeeNumerator.toNumber()) / FEE_DENOMINATOR;
  const poolFee = (FIXED_BPS[decoded.migrationFeeOption] ?? decoded.migratedPoolFeeBps) / 100;
  const agentLiquidity =
    decoded.creatorPermanentLockedLiquidityPercentage +
    decoded.creatorLiquidityPercentage +
    decoded.creatorLiquidityVestingInfo.vestingPercentage;
  return {
    partner: decoded.feeClaimer.toBase58(),
    curve: split(curveFee, decoded.creatorTradingFeePercentage),
    pool: split(poolFee, agentLiquidity),
  };
}

/** @returns who will earn what from tokens that are launched under a config with these terms */
export function earningsUnder({
  feeBps,
  creatorShare,
}: Pick<ConfigTerms, "feeBps" | "creatorShare">): Pick<Earnings, "curve" | "pool"> {
  return {
    curve: split(feeBps / 100, creatorShare),
    pool: split(Math.min(feeBps, MAX_MIGRATED_POOL_FEE_BPS) / 100, creatorShare),
  };
}

/** @param agentShare the agent's part of what Meteora leaves, in percent */
function split(fee: number, agentShare: number): FeeSplit {
  const protocol = (fee * PROTOCOL_FEE_PERCENT) / 100;
  const rest = fee - protocol;
  return {
    fee,
    agent: (rest * agentShare) / 100,
    partner: (rest * (100 - agentShare)) / 100,
    protocol,
  };
}
