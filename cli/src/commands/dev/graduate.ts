import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import type { Result } from "../../result.ts";

/** Fills a token's bonding curve on a sandbox server, so that it migrates to the pool. */
export async function graduate(context: Context, mint: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Filling the curve");
  const data = await client.dev.graduate({ tokenMint: mint }, { signal: context.signal });
  return { kind: "graduation", data };
}
