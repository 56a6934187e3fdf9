import type { TokenMetadata } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { resolveMint } from "../resolve-token.ts";
import type { Result, TokenLinks } from "../result.ts";

function linksOf({ image, website, twitter, telegram }: TokenMetadata): TokenLinks {
  return {
    ...(image !== "" && { imageUrl: image }),
    ...(website !== undefined && { website }),
    ...(twitter !== undefined && { twitter }),
    ...(telegram !== undefined && { telegram }),
  };
}

/** Shows one of the wallet's tokens. @param name its mint or its ticker */
export async function token(context: Context, name: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the token");
  const mint = await resolveMint(client, name, context.signal);
  const { signal } = context;
  const [data, links] = await Promise.all([
    client.token(mint, { signal }),
    client.metadata(mint, { signal }).then(linksOf, () => ({})),
  ]);
  return { kind: "token", data: { ...data, ...links } };
}
