import { Type } from "@sinclair/typebox";
import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import { READS, tool } from "../tool.ts";
import { cursor, limit, strict, tokenMint } from "./fields.ts";

const DEFAULT_LIMIT = 20;

export const tokenTools = [
  tool({
    name: "list_tokens",
    title: "List tokens",
    description: "Lists the tokens that this wallet has launched, newest first, in pages.",
    toolset: "tokens",
    hints: READS,
    input: Type.Object({ limit, cursor }, strict),
    output: TokenListSchema,
    async run({ client }, { limit: most = DEFAULT_LIMIT, cursor: after }, { signal }) {
      const data = await client.tokens({ limit: most, cursor: after, signal });
      const more = data.nextCursor === undefined ? "" : " There are more: use nextCursor.";
      return { text: `${data.tokens.length} tokens.${more}`, data };
    },
  }),
  tool({
    name: "get_token",
    title: "Read a token",
    description: "Reads one of this wallet's tokens by its mint.",
    toolset: "tokens",
    hints: READS,
    input: Type.Object({ tokenMint }, strict),
    output: TokenSchema,
    async run({ client }, input, { signal }) {
      const data = await client.token(input.tokenMint, { signal });
      return { text: `${data.ticker}, launched at ${data.deployedAt}.`, data };
    },
  }),
];
