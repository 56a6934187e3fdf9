import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { resolveMint } from "../resolve-token.ts";
import type { Result } from "../result.ts";

/** Shows one of the wallet's tokens. @param name its mint or its ticker */
export async function token(context: Context, name: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the token");
  const mint = await resolveMint(client, name, context.signal);
  return { kind: "token", data: await client.token(mint, { signal: context.signal }) };
}
