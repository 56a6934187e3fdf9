import type { TokenRef } from "../domain/token.ts";
import type { FeeTotals, UnreadableFees } from "./launchpad.ts";
import type { ClaimParts, TokenClaim } from "./pool-program.ts";

/** What the partner of a token's config, the operator, earns from the token. Lamports. */
export interface PartnerRevenue {
  /** Whether the wallet that asks is the partner. Otherwise only positions can be its own. */
  readonly isPartner: boolean;
  /** The partner's share of the trading fees on the curve. */
  readonly curve: FeeTotals;
  /** What the wallet's positions earn in the pool after the curve. */
  readonly position: FeeTotals;
  /** The partner's share of what the last trade paid beyond the curve's end. */
  readonly surplus: FeeTotals;
  /** The partner's share of what the config takes from the curve at migration. */
  readonly migrationFee: FeeTotals;
  /** The partner's share of what its launch paid for the pool. */
  readonly creationFee: FeeTotals;
  readonly isMigrated: boolean;
}

export interface TokenCollection extends TokenClaim {
  /** The accounts from which the lamports come: the curve's pool and the vaults of both pools. Base58. */
  readonly vaults: readonly string[];
}

export interface CollectionParts extends ClaimParts {
  readonly tokens: readonly TokenCollection[];
}

export interface PartnerProgram {
  /** In the order given. A token that cannot be read does not affect the others. */
  readRevenue(tokens: readonly TokenRef[]): Promise<(PartnerRevenue | UnreadableFees)[]>;

  /**
   * Takes all that the wallet can from tokens; null if that is nothing. One that cannot be read is
   * left out.
   */
  collect(tokens: readonly TokenRef[]): Promise<CollectionParts | null>;
}

export function claimableOf(revenue: PartnerRevenue): bigint {
  const { curve, position, surplus, migrationFee, creationFee } = revenue;
  const all = [curve, position, surplus, migrationFee, creationFee];
  return all.reduce((sum, { claimable }) => sum + claimable, 0n);
}
