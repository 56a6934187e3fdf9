import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/** Lists the wallet's tokens. */
export async function tokens(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the tokens");
  return { kind: "tokens", data: await client.tokens({ signal: context.signal }) };
}
