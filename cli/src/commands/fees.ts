import type { ClaimCost, ClaimRecord, PrepareClaimOptions, TokenctlClient } from "@tokenctl/sdk";
import { paidOnWire } from "@tokenctl/shared/shares";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import { chooseReceivers, namesOf } from "../claim-terms.ts";
import { type ColumnOf, type Desk, type Result, rowsOf } from "../desk.ts";
import { CliError } from "../errors.ts";
import { solText, venue } from "../format.ts";
import { type Previewed, TICKET_SECONDS } from "../mcp/repeats.ts";

const FEES: readonly ColumnOf<ClaimRecord>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["MINT", ({ tokenMint }) => tokenMint, { shorten: "middle", dropFirst: 4 }],
  ["TRADES ON", venue, { dropFirst: 1 }],
  ["CLAIMABLE (CURVE)", (fees) => solToLamports(fees.dbcClaimableFees)],
  ["CLAIMABLE (POOL)", (fees) => solToLamports(fees.lpClaimableFees)],
  [
    "CLAIMED",
    (fees) => solToLamports(fees.dbcClaimedFees) + solToLamports(fees.lpClaimedFees),
    { dropFirst: 2 },
  ],
  [
    "EARNED",
    (fees) => solToLamports(fees.dbcTotalFees) + solToLamports(fees.lpTotalFees),
    { dropFirst: 3 },
  ],
];

export async function fees(
  { client, model, notices, signal }: Desk,
  { tokenMint }: { tokenMint?: string },
): Promise<Result> {
  const list = await client.claims({ received: true, signal });
  const isWanted = (item: { tokenMint: string }) =>
    tokenMint === undefined || item.tokenMint === tokenMint;
  const claims = list.claims.filter(isWanted);
  const unreadable = (list.unreadable ?? []).filter(isWanted);
  if (tokenMint !== undefined && claims.length + unreadable.length === 0) {
    throw noFeesOf(tokenMint);
  }
  for (const { ticker, tokenMint: mint, error } of unreadable) {
    notices.warn(`The fees of ${ticker} (${mint}) cannot be read: ${error}`);
  }
  for (const claim of claims) {
    for (const text of changesOutside(claim)) notices.warn(`${claim.ticker}: ${text}`);
  }
  const claimable = claims.reduce((sum, claim) => sum + solToLamports(claim.claimableSOL), 0n);
  const data = {
    claims,
    ...(unreadable.length > 0 && { unreadable }),
    ...(model && { claimableSOL: lamportsToSol(claimable) }),
  };
  const none = unreadable.length > 0 ? "No fees can be read." : "This wallet has no tokens yet.";
  const says = `${formatSol(claimable)} SOL of ${claims.length} tokens can be claimed.`;
  return { data, table: rowsOf(claims, FEES, { none, total: true }), says };
}

function noFeesOf(mint: string): CliError {
  return new CliError("token_not_found", `This wallet has no token ${mint} with fees`, {
    hint: "`tokenctl tokens` lists the mints of this wallet's tokens",
  });
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

export async function previewClaim(
  desk: Desk,
  { tokenMint }: { tokenMint: string },
): Promise<Result> {
  const { client, model, settings, signal } = desk;
  const { claims } = await client.claims({ received: true, signal });
  const record = claims.find((claim) => claim.tokenMint === tokenMint);
  if (record === undefined) throw noFeesOf(tokenMint);
  const to = chooseReceivers(settings, client.address);
  const cost = await costOf(client, tokenMint, { to, signal });
  const { ticker, claimableSOL } = record;
  const previewed = {
    tokenMint,
    ticker,
    claimableLamports: solToLamports(claimableSOL),
    maxCostLamports: totalOf(cost),
    paidLamports: paidBy(cost),
  };
  const data = {
    tokenMint,
    ticker,
    claimableSOL,
    networkFeeSOL: lamportsToSol(cost.networkFeeLamports),
    rentSOL: lamportsToSol(cost.rentLamports),
    sponsored: cost.sponsor !== undefined,
    receivers: cost.receivers?.map(paidOnWire),
    claimToken: model?.tickets.issue(previewed),
    expiresInSeconds: TICKET_SECONDS,
  };
  const says = `Claims ${claimText(desk, previewed)}. Call claim_fees with the claimToken to claim them.`;
  return { data, says };
}

export function claimText({ client, settings }: Desk, previewed: Previewed): string {
  const { ticker, tokenMint, claimableLamports, maxCostLamports } = previewed;
  const to = chooseReceivers(settings, client.address);
  const whom = to ? namesOf(to) : `the wallet ${client.address}`;
  return `${formatSol(claimableLamports)} SOL of fees of ${ticker} (${tokenMint}) to ${whom}, at a cost of at most ${formatSol(maxCostLamports)} SOL`;
}

class OnlyPreviewed extends Error {}

/** Lets the SDK check and price a claim as it does before a signature. */
async function costOf(client: TokenctlClient, mint: string, asked: PrepareClaimOptions) {
  const prepared = await client.prepareClaim(mint, asked);
  let cost: ClaimCost | undefined;
  try {
    await client.signClaim(mint, prepared, {
      ...asked,
      approve: (price) => {
        cost = price;
        throw new OnlyPreviewed();
      },
    });
  } catch (error) {
    if (cost === undefined || !(error instanceof OnlyPreviewed)) throw error;
  }
  if (cost === undefined) throw new Error("The SDK signed a claim without a price");
  return cost;
}

/** @throws {CliError} `claim_cost_changed` if a claim costs more or pays less than its preview */
export function throwIfWorse(cost: ClaimCost, { maxCostLamports, paidLamports }: Previewed): void {
  const [costs, pays] = [totalOf(cost), paidBy(cost)];
  const change =
    costs > maxCostLamports
      ? `cost ${formatSol(costs)} SOL, more than the ${formatSol(maxCostLamports)} SOL`
      : pays < paidLamports &&
        `pay ${formatSol(pays)} SOL, less than the ${formatSol(paidLamports)} SOL`;
  if (change === false) return;
  const message = `Not signed: the claim would now ${change} of the preview`;
  throw new CliError("claim_cost_changed", message, { hint: "Call preview_claim again" });
}

export function totalOf({ networkFeeLamports, rentLamports }: ClaimCost): bigint {
  return networkFeeLamports + rentLamports;
}

function paidBy({ receivers = [] }: ClaimCost): bigint {
  return receivers.reduce((sum, { lamports }) => sum + lamports, 0n);
}
