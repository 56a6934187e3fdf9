import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import type { Result } from "../../result.ts";

/** Buys or sells a token as the trader of a sandbox server. */
export async function trade(
  context: Context,
  mint: string,
  options: { sol: string; sell?: boolean },
): Promise<Result> {
  const client = await connect(context);
  const side = options.sell ? "sell" : "buy";
  context.notices.progress(`Trading ${options.sol} SOL`);
  const order = { tokenMint: mint, side, sol: options.sol } as const;
  return { kind: "trade", data: await client.dev.trade(order, { signal: context.signal }) };
}
