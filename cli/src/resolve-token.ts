import type { TProperties } from "@sinclair/typebox";
import type { LaunchRecord, Token, TokenctlClient } from "@tokenctl/sdk";
import { isUuid } from "@tokenctl/shared/uuid";
import { CliError } from "./errors.ts";
import type { Given } from "./grammar/input.ts";

/** A ticker has at most 10 characters, a mint address at least 32. */
const isTicker = (name: string) => name.length <= 10;

const PAGE = 500;
/** A server that always has another page must not keep a command running. */
const MOST_PAGES = 100;

/** Replaces tickers and other names in the input with mints and event ids. @throws {CliError} */
export async function resolveNames(
  connect: () => TokenctlClient | Promise<TokenctlClient>,
  fields: TProperties,
  input: Given,
  signal: AbortSignal,
): Promise<Given> {
  const resolved: Record<string, unknown> = { ...input };
  for (const [field, name] of Object.entries(input)) {
    const kind = fields[field]?.["x-names"];
    const isMint = !isTicker(String(name)) && !isUuid(String(name).toLowerCase());
    if (kind === undefined || !Object.hasOwn(resolvers, kind)) continue;
    if (isMint && kind !== "launch") continue;
    const resolve = resolvers[kind as keyof typeof resolvers];
    resolved[field] = await resolve(await connect(), String(name), signal);
  }
  return resolved;
}

/** @param name a ticker in any case, or the event id of the token's launch */
async function resolveMint(
  client: TokenctlClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (isUuid(name.toLowerCase())) {
    const { ticker, tokenMint } = await client.launchStatus(name, { signal });
    if (tokenMint !== null) return tokenMint;
    throw notFound("token", `The launch of ${ticker} has no token`);
  }
  const { tokens } = await client.tokens({ received: true, signal });
  return mintIn(tokens, name, "This wallet has no token");
}

async function resolveWaiting(
  client: TokenctlClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const { tokens } = await client.waitingTokens({ signal });
  return mintIn(tokens, name, "No token waits to be accepted");
}

function mintIn(tokens: readonly Token[], name: string, none: string): string {
  const ticker = name.toUpperCase();
  const token = tokens.find((one) => one.ticker === ticker);
  if (token) return token.tokenMint;
  throw notFound("token", `${none} with the ticker ${ticker}`);
}

/** @param name an event id, a mint, or a ticker, which means the newest launch with it */
export async function resolveLaunch(
  client: TokenctlClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (isUuid(name.toLowerCase())) return name;
  const wanted = isTicker(name) ? name.toUpperCase() : name;
  const isWanted = ({ ticker, tokenMint }: LaunchRecord) => [ticker, tokenMint].includes(wanted);
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { launches, nextCursor } = await client.launches({ limit: PAGE, cursor, signal });
    const launch = launches.find(isWanted);
    // The id becomes part of suggested commands.
    if (launch && isUuid(launch.eventId)) return launch.eventId;
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  const what = isTicker(name) ? `with the ticker ${wanted}` : `of the mint ${wanted}`;
  throw notFound("launch", `This wallet has no launch ${what}`);
}

const resolvers = { token: resolveMint, waiting: resolveWaiting, launch: resolveLaunch };

function notFound(what: "token" | "launch", message: string): CliError {
  return new CliError(`${what}_not_found`, message, {
    hint: "`tokenctl tokens` lists its tokens, `launches` its launches, `accept --list` what waits",
  });
}
