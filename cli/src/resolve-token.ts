import type { LaunchRecord, TokenctlClient } from "@tokenctl/sdk";
import { isUuid } from "@tokenctl/shared/uuid";
import { CliError, exitCodes } from "./errors.ts";

/** A mint address has at least 32 characters. */
const isTicker = (name: string) => name.length <= 10;

/** Launches per page of a search. */
const PAGE = 500;

/** @param name a mint, or a ticker in any case. @throws {CliError} `token_not_found` */
export async function resolveMint(
  client: TokenctlClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (!isTicker(name)) return name;
  const ticker = name.toUpperCase();
  const { tokens } = await client.tokens({ received: true, signal });
  const token = tokens.find((one) => one.ticker === ticker);
  if (token) return token.tokenMint;
  throw new CliError("token_not_found", `This wallet has no token with the ticker ${ticker}`, {
    hint: "`tokenctl tokens` lists its tokens, `tokenctl launches` its launches",
    exitCode: exitCodes.notFound,
  });
}

/** @param name an event id, a mint, or a ticker of the newest launch. @throws {CliError} */
export async function resolveLaunch(
  client: TokenctlClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (isUuid(name.toLowerCase())) return name;
  const wanted = isTicker(name) ? name.toUpperCase() : name;
  const isWanted = ({ ticker, tokenMint }: LaunchRecord) => [ticker, tokenMint].includes(wanted);
  for (let cursor: string | undefined; ; ) {
    const { launches, nextCursor } = await client.launches({ limit: PAGE, cursor, signal });
    const launch = launches.find(isWanted);
    // It becomes part of commands.
    if (launch && isUuid(launch.eventId)) return launch.eventId;
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  const what = isTicker(name) ? `with the ticker ${wanted}` : `of the mint ${wanted}`;
  throw new CliError("launch_not_found", `This wallet has no launch ${what}`, {
    hint: "`tokenctl launches` lists its launches",
    exitCode: exitCodes.notFound,
  });
}
