import {
  BaseFeeMode,
  feeNumeratorToBps,
  getFeeSchedulerMinBaseFeeNumerator,
  MigrationFeeOption,
  type PoolConfig,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import type { PoolTerms } from "../../domain/pool-terms.ts";
import { readAccounts } from "../../solana/read-accounts.ts";
import { ChainUnavailableError } from "../errors.ts";
import { decodePoolConfig } from "./accounts.ts";
import type { MeteoraPrograms } from "./programs.ts";

/** The fees of Meteora's own DAMM v2 configs, by `MigrationFeeOption`; hundredths of a percent. */
const FIXED_BPS: Readonly<Record<number, number>> = {
  [MigrationFeeOption.FixedBps25]: 25,
  [MigrationFeeOption.FixedBps30]: 30,
  [MigrationFeeOption.FixedBps100]: 100,
  [MigrationFeeOption.FixedBps200]: 200,
  [MigrationFeeOption.FixedBps400]: 400,
  [MigrationFeeOption.FixedBps600]: 600,
};

/**
 * Reads what the pools of a config are made under, in one call.
 *
 * @throws {ChainUnavailableError} the cluster does not have the config, or it is something else
 */
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
    throw new ChainUnavailableError(
      `DBC_CONFIG ${config} is no config of Dynamic Bonding Curve`,
      error,
    );
  }
}

/** @param address of the config */
export function poolTerms(address: PublicKey, config: PoolConfig): PoolTerms {
  const { baseFee } = config.poolFees;
  const migratedBps = FIXED_BPS[config.migrationFeeOption] ?? config.migratedPoolFeeBps;
  return {
    config: address.toBase58(),
    fees: {
      bondingCurve: {
        startBps: feeNumeratorToBps(baseFee.cliffFeeNumerator),
        endBps: feeNumeratorToBps(lastFeeNumerator(baseFee)),
        creatorSharePercent: config.creatorTradingFeePercentage,
      },
      liquidityPool: {
        startBps: migratedBps,
        endBps: migratedBps,
        // Fees of the pool belong to whom the liquidity belongs to.
        creatorSharePercent:
          config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage,
      },
    },
  };
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
