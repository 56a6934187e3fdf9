import type { ClaimRecord, TokenctlClient } from "@tokenctl/sdk";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { toLamports } from "../amount.ts";
import type { ClaimOutcome } from "../result.ts";
import type { ClaimBudget } from "./claim-budget.ts";

/** Tokens that one request may name. */
const MAX_TOKENS = 20;

/**
 * Claims as many of the tokens as fit into one transaction.
 *
 * @param records tokens with fees, at least one
 * @returns an outcome for each token that was claimed. What its fees have grown by since they were
 * listed is counted for the last of them
 */
export async function claimTogether(
  client: TokenctlClient,
  records: readonly ClaimRecord[],
  budget: ClaimBudget,
  signal: AbortSignal,
): Promise<ClaimOutcome[]> {
  const mints = new Set(records.map(({ tokenMint }) => tokenMint));
  const approve = budget.spend.bind(budget);
  const { claimedSOL, transactionHash, tokenMints, verified } = await client.claimMany(
    [...mints].slice(0, MAX_TOKENS),
    { signal, approve },
  );
  const taken = records.filter(({ tokenMint }) => tokenMints.includes(tokenMint));
  let left = toLamports(claimedSOL);
  return taken.map(({ tokenMint, ticker, ...fees }, index) => {
    const listed = toLamports(fees.dbcClaimableFees) + toLamports(fees.lpClaimableFees);
    const isLast = index === taken.length - 1;
    const lamports = isLast || listed > left ? left : listed;
    left -= lamports;
    return {
      tokenMint,
      ticker,
      claimedSOL: lamportsToSol(lamports),
      transactionHash,
      ...(verified && { verified }),
      error: null,
    };
  });
}
