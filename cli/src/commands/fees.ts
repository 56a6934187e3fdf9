import type { ClaimRecord } from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { type ColumnOf, type Desk, type Result, rowsOf } from "../desk.ts";
import { CliError } from "../errors.ts";
import { solText, venue } from "../format.ts";
import { hintOf } from "../hints.ts";

const FEES: readonly ColumnOf<ClaimRecord>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["MINT", ({ tokenMint }) => tokenMint, "middle"],
  ["TRADES ON", venue],
  ["CLAIMABLE (CURVE)", (fees) => solToLamports(fees.dbcClaimableFees)],
  ["CLAIMABLE (POOL)", (fees) => solToLamports(fees.lpClaimableFees)],
  ["CLAIMED", (fees) => solToLamports(fees.dbcClaimedFees) + solToLamports(fees.lpClaimedFees)],
  ["EARNED", (fees) => solToLamports(fees.dbcTotalFees) + solToLamports(fees.lpTotalFees)],
];

export async function fees(
  { client, notices, signal }: Desk,
  { tokenMint }: { tokenMint?: string },
): Promise<Result> {
  const list = await client.claims({ received: true, signal });
  const isWanted = (item: { tokenMint: string }) =>
    tokenMint === undefined || item.tokenMint === tokenMint;
  const claims = list.claims.filter(isWanted);
  const unreadable = (list.unreadable ?? []).filter(isWanted);
  if (tokenMint !== undefined && claims.length + unreadable.length === 0) {
    const text = `This wallet has no token ${tokenMint} with fees`;
    throw new CliError("token_not_found", text, { hint: hintOf("token_not_found") });
  }
  for (const { ticker, tokenMint: mint, error } of unreadable) {
    notices.warn(`The fees of ${ticker} (${mint}) cannot be read: ${error}`);
  }
  for (const claim of claims) {
    for (const text of changesOutside(claim)) notices.warn(`${claim.ticker}: ${text}`);
  }
  const claimable = claims.reduce((sum, claim) => sum + solToLamports(claim.claimableSOL), 0n);
  const data = { claims, ...(unreadable.length > 0 && { unreadable }) };
  const none = unreadable.length > 0 ? "No fees can be read." : "This wallet has no tokens yet.";
  const says = `${formatSol(claimable)} SOL of ${claims.length} tokens can be claimed.`;
  return { data, table: rowsOf(claims, FEES, { none, total: true }), says };
}

function changesOutside({ claimedElsewhere, creatorChanged }: ClaimRecord): string[] {
  const { dbcHolder, lpHolder } = creatorChanged ?? {};
  const holder = lpHolder ?? "the holder of the position that this wallet had";
  const texts = [
    dbcHolder !== undefined && `the fees of the bonding curve now belong to ${dbcHolder}`,
    lpHolder !== undefined && `the fees of the liquidity pool now belong to ${holder}`,
    claimedElsewhere !== undefined &&
      `${solText(claimedElsewhere)} was claimed without this service`,
  ];
  return texts.filter((text) => text !== false);
}
