import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import { resolveMint } from "../../resolve-token.ts";
import type { Result } from "../../result.ts";

/**
 * Fills a token's bonding curve on a sandbox server, so that it migrates to the pool.
 *
 * @param token its mint or its ticker
 */
export async function graduate(context: Context, token: string): Promise<Result> {
  const client = await connect(context);
  const mint = await resolveMint(client, token, context.signal);
  context.notices.progress("Filling the curve");
  const data = await client.dev.graduate({ tokenMint: mint }, { signal: context.signal });
  return { kind: "graduation", data };
}
