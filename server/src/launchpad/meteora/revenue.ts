import {
  PROTOCOL_FEE_PERCENT,
  PROTOCOL_POOL_CREATION_FEE_PERCENT,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type FeeTotals, NO_FEES } from "../launchpad.ts";
import type { PartnerRevenue } from "../partner-program.ts";
import type { Curve } from "./curve-reader.ts";
import { type HeldToken, liquidityFees } from "./liquidity-reader.ts";

export function revenueOf({ curve, holding }: HeldToken, wallet: string): PartnerRevenue {
  const isPartner = curve.config.partner.toBase58() === wallet;
  const ofPartner = (fees: (curve: Curve) => FeeTotals) => (isPartner ? fees(curve) : NO_FEES);
  return {
    isPartner,
    curve: ofPartner(partnerFees),
    position: holding ? liquidityFees(holding.pool, holding.positions) : NO_FEES,
    surplus: ofPartner(partnerSurplus),
    migrationFee: ofPartner(partnerMigrationFee),
    creationFee: ofPartner(partnerCreationFee),
    isMigrated: curve.pool.isMigrated,
  };
}

/** As `getPoolFeeBreakdown` of the DBC SDK counts the partner's. */
function partnerFees({ pool, config }: Curve): FeeTotals {
  const total = partnerShare(pool.tradingFees, config.creatorFeePercentage);
  return { claimable: pool.partnerFee, claimed: total - pool.partnerFee, total };
}

/**
 * The last trade may pay beyond the curve's end. Meteora keeps as much of that as of every fee. Source:
 * `get_partner_surplus` of the DBC program.
 */
function partnerSurplus({ pool, config }: Curve): FeeTotals {
  const beyond = pool.quoteReserve - config.migrationThreshold;
  if (beyond <= 0n) return NO_FEES;
  const left = (beyond * BigInt(100 - PROTOCOL_FEE_PERCENT)) / 100n;
  return once(partnerShare(left, config.creatorFeePercentage), pool.hasPartnerSurplus);
}

/** Source: `get_migration_fee_distribution` of the DBC program, which rounds what migrates up. */
function partnerMigrationFee({ pool, config }: Curve): FeeTotals {
  const { migrationThreshold, migrationFeePercentage, creatorMigrationFeePercentage } = config;
  if (pool.quoteReserve < migrationThreshold) return NO_FEES;
  const migrates = (migrationThreshold * BigInt(100 - migrationFeePercentage) + 99n) / 100n;
  const fee = migrationThreshold - migrates;
  return once(partnerShare(fee, creatorMigrationFeePercentage), pool.hasPartnerMigrationFee);
}

/** A pool holds what it was paid, beside its rent. */
function partnerCreationFee({ pool, config }: Curve): FeeTotals {
  return once(partnerCreationLamports(config.creationLamports), pool.hasPartnerCreationFee);
}

export function partnerCreationLamports(paid: bigint): bigint {
  return paid - (paid * BigInt(PROTOCOL_POOL_CREATION_FEE_PERCENT)) / 100n;
}

/** The creator's part is rounded down, the partner has the rest. */
function partnerShare(lamports: bigint, creatorPercentage: number): bigint {
  return lamports - (lamports * BigInt(creatorPercentage)) / 100n;
}

function once(total: bigint, isThere: boolean): FeeTotals {
  return isThere
    ? { claimable: total, claimed: 0n, total }
    : { claimable: 0n, claimed: total, total };
}
