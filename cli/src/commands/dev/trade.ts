import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import { resolveMint } from "../../resolve-token.ts";
import type { Result } from "../../result.ts";

/** Buys or sells a token as the trader of a sandbox server. @param token its mint or its ticker */
export async function trade(
  context: Context,
  token: string,
  options: { sol: string; sell?: boolean },
): Promise<Result> {
  const client = await connect(context);
  const mint = await resolveMint(client, token, context.signal);
  const side = options.sell ? "sell" : "buy";
  context.notices.progress(`Trading ${options.sol} SOL`);
  const order = { tokenMint: mint, side, sol: options.sol } as const;
  return { kind: "trade", data: await client.dev.trade(order, { signal: context.signal }) };
}
