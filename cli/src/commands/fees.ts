import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/** Lists what the wallet's tokens have earned and what of it can be claimed. */
export async function fees(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the fees");
  return { kind: "fees", data: await client.claims({ signal: context.signal }) };
}
