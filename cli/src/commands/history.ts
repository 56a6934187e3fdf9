import type { HistoryOptions, PaidClaim } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
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
  { csv, jsonl, ...chosen }: HistoryFlags,
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the claims");
  const claims: PaidClaim[] = [];
  for await (const claim of client.claimHistory({ ...chosen, signal: context.signal })) {
    claims.push(claim);
  }
  const lines = csv ? "csv" : jsonl ? "jsonl" : undefined;
  return { kind: "history", data: { claims }, ...(lines && { lines }) };
}
