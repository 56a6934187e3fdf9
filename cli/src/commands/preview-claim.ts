import type { ClaimCost, PrepareClaimOptions, TokenctlClient } from "@tokenctl/sdk";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import type { Desk, Result } from "../desk.ts";
import { CliError } from "../errors.ts";
import { type Previewed, TICKET_SECONDS } from "../mcp/repeats.ts";
import { chooseReceivers, namesOf, payoutsOnWire } from "../receivers.ts";
import { noFeesOf } from "./fees.ts";

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
    receivers: payoutsOnWire(cost.receivers),
    claimToken: model?.tickets.issue(previewed),
    expiresInSeconds: TICKET_SECONDS,
  };
  const says = `Claims ${claimText(desk, previewed)}. Call claim_fees with the claimToken to claim them.`;
  return { data, view: [], says };
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
