import type { ClaimOptions, ClaimRecord } from "@tokenctl/sdk";
import { solToLamports } from "@tokenctl/shared/sol";
import { confirmSigning, renewShown } from "./confirm.ts";
import { payoutAddress } from "./payout.ts";
import type { Session } from "./session-state.ts";

/** Returns a token's claimable lamports of curve and pool together. */
export function claimableOf({ claimableSOL }: ClaimRecord): bigint {
  return solToLamports(claimableSOL);
}

/** Returns a token's claimed lamports of curve and pool together. */
export function claimedOf({ dbcClaimedFees, lpClaimedFees }: ClaimRecord): bigint {
  return solToLamports(dbcClaimedFees) + solToLamports(lpClaimedFees);
}

/** Returns records with fees, largest first: only that may make a new wallet rent-exempt. */
export function worthClaiming(records: readonly ClaimRecord[]): ClaimRecord[] {
  const worthIt = records.filter((record) => claimableOf(record) > 0n);
  return worthIt.sort((a, b) => b.claimableSOL - a.claimableSOL);
}

export const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n);

/** Claims tokens with one signature, after the person has confirmed the effects and receivers. */
export async function claimTogether(
  { client, address }: Session,
  records: readonly ClaimRecord[],
): Promise<{ readonly claimed: bigint; readonly tokenMints: readonly string[] }> {
  const tickers = records.map(({ ticker }) => ticker);
  const claimable = sum(records.map(claimableOf));
  const options: ClaimOptions = {
    to: payoutAddress(address) ?? undefined,
    approve: (cost, expiresAt, transaction) =>
      confirmSigning({ kind: "claim", tickers, claimable, cost, expiresAt, transaction }),
    onRenew: renewShown,
  };
  const mints = records.map(({ tokenMint }) => tokenMint);
  const [only] = mints;
  if (mints.length === 1 && only !== undefined) {
    const { claimedSOL } = await client.claim(only, options);
    return { claimed: solToLamports(claimedSOL), tokenMints: mints };
  }
  const { claimedSOL, tokenMints } = await client.claimMany(mints, options);
  return { claimed: solToLamports(claimedSOL), tokenMints };
}
