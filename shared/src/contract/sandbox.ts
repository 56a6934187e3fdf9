import { Type } from "@sinclair/typebox";
import { limits } from "../limits.ts";
import * as t from "./values.ts";

const sol = t.positiveSol("SOL", limits.devSOL.max);

const address = (description: string) => t.address(description, "must be a base58 address");

const tokenMint = address("The token's mint address, base58");

export const DevAirdropRequestSchema = t.fields({
  wallet: t.optional(address("The wallet, base58; by default the agent's own")),
  sol,
});

export const DevTradeRequestSchema = t.fields({
  tokenMint,
  side: t.choice(["buy", "sell"], "What the sandbox's trader does", {
    "x-rule": 'must be "buy" or "sell"',
  }),
  sol,
});

export const DevGraduateRequestSchema = t.fields({ tokenMint });

const signature = t.text("The transaction's signature, base58", { minLength: 64 });
const isMigrated = t.flag("Whether the pool has migrated to the liquidity pool");

export const DevAirdropSchema = t.object("Sandbox only: SOL minted into a wallet", {
  success: t.success,
  signature,
  wallet: t.text("The wallet that received the SOL, base58"),
  sol: Type.Number({ description: "SOL that the wallet received" }),
});

export const DevTradeSchema = t.object("Sandbox only: a trade of the embedded chain's trader", {
  success: t.success,
  signature,
  side: t.choice(["buy", "sell"], "What the trader did"),
  sol: Type.Number({ description: "SOL that the buyer paid, or that the sold tokens were worth" }),
  tokens: t.text("Base units that changed hands: millionths of a token", { pattern: "^\\d+$" }),
  creatorFeeSOL: Type.Number({ minimum: 0, description: "SOL that the trade earned the agent" }),
  isMigrated,
});

export const DevGraduationSchema = t.object("Sandbox only: a pool that has migrated", {
  success: t.success,
  signature,
  isMigrated,
});

export const DevRpcRequestSchema = Type.Unknown({
  description: "A Solana JSON-RPC request",
  examples: [{ jsonrpc: "2.0", id: 1, method: "getHealth" }],
});

export const DevRpcReplySchema = Type.Unknown({ description: "The JSON-RPC answer" });
