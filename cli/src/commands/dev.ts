import { tokenText, toLamports } from "../amount.ts";
import { connect } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { resolveMint } from "../resolve-token.ts";
import { venue } from "../text.ts";

/** Gives a wallet SOL on a sandbox server. */
export async function airdrop(
  context: Context,
  wallet: string | undefined,
  { sol }: { sol: string },
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress(`Airdropping ${sol} SOL`);
  const data = await client.dev.airdrop({ sol, wallet }, { signal: context.signal });
  const fields = [
    ["Airdropped", toLamports(data.sol)],
    ["Wallet", data.wallet],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}

/** Buys or sells a token as the trader of a sandbox server. @param name its mint or its ticker */
export async function trade(
  context: Context,
  name: string,
  { sol, sell }: { sol: string; sell?: boolean },
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const tokenMint = await resolveMint(client, name, signal);
  notices.progress(`Trading ${sol} SOL`);
  const order = { tokenMint, side: sell ? "sell" : "buy", sol } as const;
  const data = await client.dev.trade(order, { signal });
  const isBuy = data.side === "buy";
  const fields = [
    [isBuy ? "Bought" : "Sold", tokenText(data.tokens)],
    [isBuy ? "Paid" : "Worth", toLamports(data.sol)],
    ["Creator fee", toLamports(data.creatorFeeSOL)],
    ["Trades on", venue(data)],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}

/**
 * Fills a token's bonding curve on a sandbox server, so that it migrates to the pool.
 *
 * @param name its mint or its ticker
 */
export async function graduate(context: Context, name: string): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const tokenMint = await resolveMint(client, name, signal);
  notices.progress("Filling the curve");
  const data = await client.dev.graduate({ tokenMint }, { signal });
  const fields = [
    ["Trades on", venue(data)],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}
