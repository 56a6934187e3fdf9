import { solToLamports } from "@tokenctl/shared/sol";
import { tokenText } from "../amount.ts";
import { connect } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { resolveMint } from "../resolve-token.ts";
import { venue } from "../text.ts";

export async function airdrop(
  context: Context,
  wallet: string | undefined,
  { sol }: { sol: string },
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress(`Airdropping ${sol} SOL`);
  const data = await client.dev.airdrop({ sol, wallet }, { signal: context.signal });
  const fields = [
    ["Airdropped", solToLamports(data.sol)],
    ["Wallet", data.wallet],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}

/** @param name the token's mint or ticker */
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
    [isBuy ? "Paid" : "Worth", solToLamports(data.sol)],
    ["Creator fee", solToLamports(data.creatorFeeSOL)],
    ["Trades on", venue(data)],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}

/** @param name the token's mint or ticker */
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
