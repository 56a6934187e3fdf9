import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import { toolsOf } from "../tool.ts";
import { cursor, DEFAULT_LIMIT, limit, more, tokenMint } from "./fields.ts";

const tool = toolsOf("tokens");

export const tokenTools = [
  tool({
    name: "list_tokens",
    title: "List tokens",
    description: "Lists this wallet's tokens, newest first, in pages.",
    input: { limit, cursor },
    output: TokenListSchema,
    async run({ client }, { limit: most = DEFAULT_LIMIT, cursor: after }, { signal }) {
      const data = await client.tokens({ limit: most, cursor: after, received: true, signal });
      return { text: `${data.tokens.length} tokens.${more(data)}`, data };
    },
  }),
  tool({
    name: "get_token",
    title: "Read a token",
    description: "Reads one of this wallet's tokens by its mint.",
    input: { tokenMint },
    output: TokenSchema,
    async run({ client }, input, { signal }) {
      const data = await client.token(input.tokenMint, { signal });
      return { text: `${data.ticker}, launched at ${data.deployedAt}.`, data };
    },
  }),
];
