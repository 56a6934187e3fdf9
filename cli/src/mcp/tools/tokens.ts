import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import { READS, tool } from "../tool.ts";
import { cursor, DEFAULT_LIMIT, limit, more, tokenMint } from "./fields.ts";

export const tokenTools = [
  tool({
    name: "list_tokens",
    title: "List tokens",
    description: "Lists the tokens that this wallet has launched, newest first, in pages.",
    toolset: "tokens",
    hints: READS,
    input: { limit, cursor },
    output: TokenListSchema,
    async run({ client }, { limit: most = DEFAULT_LIMIT, cursor: after }, { signal }) {
      const data = await client.tokens({ limit: most, cursor: after, signal });
      return { text: `${data.tokens.length} tokens.${more(data)}`, data };
    },
  }),
  tool({
    name: "get_token",
    title: "Read a token",
    description: "Reads one of this wallet's tokens by its mint.",
    toolset: "tokens",
    hints: READS,
    input: { tokenMint },
    output: TokenSchema,
    async run({ client }, input, { signal }) {
      const data = await client.token(input.tokenMint, { signal });
      return { text: `${data.ticker}, launched at ${data.deployedAt}.`, data };
    },
  }),
];
