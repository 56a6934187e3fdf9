import type { ClaimRecord } from "@tokenctl/sdk";
import { solText } from "../amount.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/** Lists what the wallet's tokens have earned and what can be claimed. Warns of what cannot be read, and of what changed elsewhere. */
export async function fees(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the fees");
  const data = await client.claims({ signal: context.signal });
  for (const { ticker, tokenMint, error } of data.unreadable ?? []) {
    context.notices.warn(`The fees of ${ticker} (${tokenMint}) cannot be read: ${error}`);
  }
  for (const claim of data.claims) {
    for (const text of changesOutside(claim)) context.notices.warn(`${claim.ticker}: ${text}`);
  }
  return { kind: "fees", data };
}

/** @returns what the wallet changed on chain without the service, as sentences */
function changesOutside({ claimedElsewhere, creatorChanged }: ClaimRecord): string[] {
  return [
    ...(creatorChanged?.dbcHolder === undefined
      ? []
      : [`the fees of the bonding curve belong to ${creatorChanged.dbcHolder} now`]),
    ...(creatorChanged?.lpHolder === undefined
      ? []
      : [
          `the fees of the liquidity pool belong to ${creatorChanged.lpHolder ?? "whom holds the position that this wallet had"}`,
        ]),
    ...(claimedElsewhere === undefined
      ? []
      : [`${solText(claimedElsewhere)} was claimed without this service`]),
  ];
}
