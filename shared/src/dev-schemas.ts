import { type Static, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";
import type { DevAirdrop, DevGraduation, DevTrade } from "./types.ts";

/** TypeBox schemas of the sandbox's endpoints: request bodies, with the rules as in `schemas.ts`, and answers. */
const strict = { additionalProperties: false } as const;

const sol = Type.Union([Type.Number(), Type.String({ maxLength: 24 })], {
  description: "SOL: more than 0 and at most 100000, with at most nine decimals",
  examples: [0.5],
  "x-rule": "must be an amount of SOL",
});
const address = Type.String({
  maxLength: limits.wallet.max,
  description: "Base58 of 32 bytes",
  "x-rule": "must be a base58 address",
});

export const DevAirdropRequestSchema = Type.Object({ wallet: Type.Optional(address), sol }, strict);

export const DevTradeRequestSchema = Type.Object(
  {
    tokenMint: address,
    side: Type.Union([Type.Literal("buy"), Type.Literal("sell")], {
      "x-rule": 'must be "buy" or "sell"',
    }),
    sol,
  },
  strict,
);

export const DevGraduateRequestSchema = Type.Object({ tokenMint: address }, strict);

const success = Type.Literal(true);
const signature = Type.String({ minLength: 64, description: "Of the transaction, base58" });

export const DevAirdropSchema = Type.Object(
  { success, signature, wallet: Type.String(), sol: Type.Number({ description: "SOL" }) },
  strict,
);

export const DevTradeSchema = Type.Object(
  {
    success,
    signature,
    side: Type.Union([Type.Literal("buy"), Type.Literal("sell")]),
    sol: Type.Number({
      description: "SOL that the buyer paid, or that the sold tokens were worth",
    }),
    tokens: Type.String({
      pattern: "^\\d+$",
      description: "Base units that changed hands: millionths of a token",
    }),
    creatorFeeSOL: Type.Number({ minimum: 0, description: "SOL that the trade earned the agent" }),
    isMigrated: Type.Boolean(),
  },
  strict,
);

export const DevGraduationSchema = Type.Object(
  { success, signature, isMigrated: Type.Boolean() },
  strict,
);

/** A JSON-RPC request, or several. */
export const DevRpcRequestSchema = Type.Unknown({
  description: "A request of Solana's JSON-RPC, or an array of them",
  examples: [{ jsonrpc: "2.0", id: 1, method: "getHealth" }],
});

/** Its answer, or theirs; errors of JSON-RPC too. */
export const DevRpcReplySchema = Type.Unknown({ description: "The answer of Solana's JSON-RPC" });

/** Does not compile if what is published and what clients see differ. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const published: [
  Same<Static<typeof DevAirdropSchema>, DevAirdrop>,
  Same<Static<typeof DevTradeSchema>, DevTrade>,
  Same<Static<typeof DevGraduationSchema>, DevGraduation>,
] = [true, true, true];
void published;
