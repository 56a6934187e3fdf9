import type { HistoryOptions, PaidClaim } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { resolveMint } from "../resolve-token.ts";
import type { Result } from "../result.ts";

/** The flags of `history`. */
export interface HistoryFlags extends Pick<HistoryOptions, "token"> {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
  readonly jsonl?: boolean;
}

/** Lists the claims that have paid, newest first. */
export async function history(
  context: Context,
  { csv, jsonl, token, ...times }: HistoryFlags,
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the claims");
  const { signal } = context;
  const mint = token && (await resolveMint(client, token, signal));
  const claims: PaidClaim[] = [];
  for await (const claim of client.claimHistory({ ...times, token: mint, signal })) {
    claims.push(claim);
  }
  const isFiltered = mint !== undefined || times.from !== undefined || times.to !== undefined;
  let filtered: string | undefined;
  if (claims.length === 0 && isFiltered) {
    const all = await client.claimHistoryPage({ limit: 1, signal });
    if (all.claims.length > 0) filtered = "No claim that paid fits the filter; there are others.";
  }
  const lines = csv ? "csv" : jsonl ? "jsonl" : undefined;
  return {
    kind: "history",
    data: { claims },
    ...(filtered !== undefined && { filtered, ...(lines && { next: [filtered] }) }),
    ...(lines && { lines }),
  };
}
