import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/** Shows one of the wallet's tokens. */
export async function token(context: Context, mint: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the token");
  return { kind: "token", data: await client.token(mint, { signal: context.signal }) };
}
