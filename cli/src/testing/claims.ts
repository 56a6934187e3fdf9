import type { ClaimRecord } from "@tokenctl/sdk";

/** The fees of a token on its curve; all can be claimed. */
export function claimRecord(ticker: string, tokenMint: string, sol = 0.01): ClaimRecord {
  return {
    tokenMint,
    poolAddress: tokenMint,
    ticker,
    isMigrated: false,
    claimableSOL: sol,
    dbcClaimableFees: sol,
    dbcTotalFees: sol,
    dbcClaimedFees: 0,
    lpClaimableFees: 0,
    lpTotalFees: 0,
    lpClaimedFees: 0,
  };
}
