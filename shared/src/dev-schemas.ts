import { type Static, Type } from "@sinclair/typebox";
import { limits } from "./limits.ts";
import type { DevAirdrop, DevGraduation, DevTrade } from "./types.ts";

/** TypeBox schemas of the sandbox's endpoints: request bodies, with the rules as in `schemas.ts`, and answers. */
const strict = { additionalProperties: false } as const;

const { max } = limits.devSOL;
const sol = Type.Union(
  [Type.Number({ exclusiveMinimum: 0, maximum: max }), Type.String({ maxLength: 24 })],
  {
    description: `SOL: more than 0 and at most ${max}, with at most nine decimals. A decimal string is exact`,
    examples: [0.5, "0.000000001"],
    "x-rule": `must be more than 0 and at most ${max}, with at most 9 decimals`,
  },
);
const address = (description: string) =>
  Type.String({
    maxLength: limits.wallet.max,
    description,
    examples: ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
    "x-rule": "must be a base58 address",
  });
const mint = address("The token's mint address, base58");

export const DevAirdropRequestSchema = Type.Object(
  { wallet: Type.Optional(address("Default: the agent's own, base58")), sol },
  strict,
);

export const DevTradeRequestSchema = Type.Object(
  {
    tokenMint: mint,
    side: Type.Union([Type.Literal("buy"), Type.Literal("sell")], {
      description: "Of the sandbox's own trader",
      "x-rule": 'must be "buy" or "sell"',
    }),
    sol,
  },
  strict,
);

export const DevGraduateRequestSchema = Type.Object({ tokenMint: mint }, strict);

const success = Type.Literal(true, { description: "Always true: a refusal is an error" });
const isMigrated = Type.Boolean({
  description: "Whether the pool has migrated to the liquidity pool",
});
const signature = Type.String({ minLength: 64, description: "Of the transaction, base58" });

export const DevAirdropSchema = Type.Object(
  {
    success,
    signature,
    wallet: Type.String({ description: "The wallet that has the SOL now, base58" }),
    sol: Type.Number({ description: "SOL that it was given" }),
  },
  strict,
);

export const DevTradeSchema = Type.Object(
  {
    success,
    signature,
    side: Type.Union([Type.Literal("buy"), Type.Literal("sell")], {
      description: "What the trader did",
    }),
    sol: Type.Number({
      description: "SOL that the buyer paid, or that the sold tokens were worth",
    }),
    tokens: Type.String({
      pattern: "^\\d+$",
      description: "Base units that changed hands: millionths of a token",
    }),
    creatorFeeSOL: Type.Number({ minimum: 0, description: "SOL that the trade earned the agent" }),
    isMigrated,
  },
  strict,
);

export const DevGraduationSchema = Type.Object({ success, signature, isMigrated }, strict);

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
