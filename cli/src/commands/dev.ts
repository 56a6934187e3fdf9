import { solToLamports } from "@tokenctl/shared/sol";
import { solText, tokenText } from "../amount.ts";
import type { Desk, Result } from "../desk.ts";
import { venue } from "../text.ts";

export async function airdrop(
  { client, notices, signal }: Desk,
  { wallet, sol = 1 }: { wallet?: string; sol?: number },
): Promise<Result> {
  notices.progress(`Airdropping ${solText(sol)}`);
  const data = await client.dev.airdrop({ sol, wallet }, { signal });
  const fields = [
    ["Airdropped", solToLamports(data.sol)],
    ["Wallet", data.wallet],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}

interface Trade {
  readonly tokenMint: string;
  readonly sol: number;
  readonly sell?: boolean;
  readonly side?: "buy" | "sell";
}

export async function trade(
  { client, notices, signal }: Desk,
  { tokenMint, sol, sell, side = sell ? "sell" : "buy" }: Trade,
): Promise<Result> {
  notices.progress(`Trading ${solText(sol)}`);
  const data = await client.dev.trade({ tokenMint, side, sol }, { signal });
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

export async function graduate(
  { client, signal }: Desk,
  { tokenMint }: { tokenMint: string },
): Promise<Result> {
  const data = await client.dev.graduate({ tokenMint }, { signal });
  const fields = [
    ["Trades on", venue(data)],
    ["Transaction", data.signature],
  ] as const;
  return { data, view: { fields } };
}
