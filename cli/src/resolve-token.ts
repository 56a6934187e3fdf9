import type { TokenctlClient } from "@tokenctl/sdk";
import { CliError } from "./errors.ts";
import { exitCodes } from "./exit.ts";

/**
 * @param name a mint address, or the ticker of one of the wallet's tokens in any case
 * @returns the mint
 * @throws {CliError} `token_not_found` if the wallet has no token with that ticker
 */
export async function resolveMint(
  client: TokenctlClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (name.length > 10) return name;
  const ticker = name.toUpperCase();
  const { tokens } = await client.tokens({ signal });
  const token = tokens.find((one) => one.ticker === ticker);
  if (token) return token.tokenMint;
  throw new CliError("token_not_found", `This wallet has no token with the ticker ${ticker}`, {
    hint: "`tokenctl tokens` lists its tokens, `tokenctl launches` its launches",
    exitCode: exitCodes.notFound,
  });
}
