import {
  PROTOCOL_CREATION_FEE_PERCENT,
  PROTOCOL_FEE_PERCENT,
} from "@tokenctl/shared/programs/curve-terms";
import { type FeeTotals, NO_FEES, type PartnerRevenue } from "../pool-program.ts";
import { type HeldToken, liquidityFees } from "./liquidity-reader.ts";
import type { Curve } from "./programs.ts";

/** A bit of `migration_fee_withdraw_status`. Source: DBC's IDL. */
const PARTNER_TOOK_MIGRATION_FEE = 0b100;
/** A bit of `creation_fee_bits`, as the program sets it. */
const PARTNER_TOOK_CREATION_FEE = 0b10;

export function revenueOf({ curve, holding }: HeldToken, wallet: string): PartnerRevenue {
  const isPartner = curve.config.feeClaimer === wallet;
  const ofPartner = (fees: (curve: Curve) => FeeTotals) => (isPartner ? fees(curve) : NO_FEES);
  return {
    isPartner,
    curve: ofPartner(partnerFees),
    position: holding ? liquidityFees(holding.pool, holding.positions) : NO_FEES,
    surplus: ofPartner(partnerSurplus),
    migrationFee: ofPartner(partnerMigrationFee),
    creationFee: ofPartner(partnerCreationFee),
    isMigrated: curve.pool.isMigrated !== 0,
  };
}

/** Counts like `getPoolFeeBreakdown` of the DBC SDK for the partner. */
function partnerFees({ pool, config }: Curve): FeeTotals {
  const { creatorTradingFeePercentage } = config;
  const total = partnerShare(pool.metrics.totalTradingQuoteFee, creatorTradingFeePercentage);
  return { claimable: pool.partnerQuoteFee, claimed: total - pool.partnerQuoteFee, total };
}

/**
 * Returns the partner's share of what the last trade paid beyond the curve's end. Meteora keeps the
 * same share as of every fee. Source: `get_partner_surplus` of the DBC program.
 */
function partnerSurplus({ pool, config }: Curve): FeeTotals {
  const beyond = pool.quoteReserve - config.migrationQuoteThreshold;
  if (beyond <= 0n) return NO_FEES;
  const left = (beyond * BigInt(100 - PROTOCOL_FEE_PERCENT)) / 100n;
  return once(
    partnerShare(left, config.creatorTradingFeePercentage),
    pool.isPartnerWithdrawSurplus === 0,
  );
}

/** Source: `get_migration_fee_distribution` of the DBC program, which rounds up what migrates. */
function partnerMigrationFee({ pool, config }: Curve): FeeTotals {
  const { migrationQuoteThreshold, migrationFeePercentage, creatorMigrationFeePercentage } = config;
  if (pool.quoteReserve < migrationQuoteThreshold) return NO_FEES;
  const migrates = (migrationQuoteThreshold * BigInt(100 - migrationFeePercentage) + 99n) / 100n;
  const fee = migrationQuoteThreshold - migrates;
  const isThere = (pool.migrationFeeWithdrawStatus & PARTNER_TOOK_MIGRATION_FEE) === 0;
  return once(partnerShare(fee, creatorMigrationFeePercentage), isThere);
}

/** The pool holds the creation fee besides its rent. */
function partnerCreationFee({ pool, config }: Curve): FeeTotals {
  const isThere = (pool.creationFeeBits & PARTNER_TOOK_CREATION_FEE) === 0;
  return once(partnerCreationLamports(config.poolCreationFee), isThere);
}

export function partnerCreationLamports(paid: bigint): bigint {
  return paid - (paid * BigInt(PROTOCOL_CREATION_FEE_PERCENT)) / 100n;
}

/** Rounds the creator's part down; the partner gets the rest. */
function partnerShare(lamports: bigint, creatorPercentage: number): bigint {
  return lamports - (lamports * BigInt(creatorPercentage)) / 100n;
}

function once(total: bigint, isThere: boolean): FeeTotals {
  return isThere
    ? { claimable: total, claimed: 0n, total }
    : { claimable: 0n, claimed: total, total };
}
