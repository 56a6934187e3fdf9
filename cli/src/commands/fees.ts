import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/** Lists what the wallet's tokens have earned and what can be claimed. Warns of unreadable tokens. */
export async function fees(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the fees");
  const data = await client.claims({ signal: context.signal });
  for (const { ticker, tokenMint, error } of data.unreadable ?? []) {
    context.notices.warn(`The fees of ${ticker} (${tokenMint}) cannot be read: ${error}`);
  }
  return { kind: "fees", data };
}
