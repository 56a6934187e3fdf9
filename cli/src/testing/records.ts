import type { ClaimRecord, LaunchStatus, Token } from "@tokenctl/sdk";

export const EVENT = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
export const MINT = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
export const POOL = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";

export function tokenRecord(more: Partial<Token> = {}): Token {
  return {
    poolAddress: MINT,
    tokenMint: MINT,
    ticker: "MINE",
    tokenName: "n",
    isClaimed: false,
    claimedAt: null,
    claimedToAddress: null,
    deployedAt: "now",
    ...more,
  };
}

export function launchStatus(more: object = {}): LaunchStatus {
  const pending = {
    eventId: EVENT,
    ticker: "MINE",
    status: "pending",
    processedAt: null,
    tokenMint: null,
    poolAddress: null,
    error: null,
  };
  return { ...pending, ...more } as LaunchStatus;
}

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
