import { spawn } from "node:child_process";
import type { Market, Token } from "@tokenctl/sdk";
import { solText } from "../amount.ts";
import { isAddress } from "../arguments.ts";
import { connect } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { CliError } from "../errors.ts";
import { resolveMint } from "../resolve-token.ts";
import { type ColumnOf, rowsOf } from "../table.ts";
import { minute } from "../text.ts";

const COLUMNS: readonly ColumnOf<Token>[] = [
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "NAME", of: ({ tokenName }) => tokenName, shorten: "end", dropFirst: 1 },
  { title: "MINT", of: ({ tokenMint }) => tokenMint, shorten: "middle" },
  { title: "DEPLOYED", of: ({ deployedAt }) => minute(deployedAt), dropFirst: 2 },
  {
    title: "CLAIMED",
    of: ({ claimedAt }) => (claimedAt === null ? "never" : minute(claimedAt)),
    dropFirst: 3,
  },
];

export async function tokens(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Reading the tokens");
  const data = await client.tokens({ received: true, signal: context.signal });
  if (data.tokens.length === 0) return { data, view: ["This wallet has no tokens yet."] };
  return { data, view: { table: rowsOf(data.tokens, COLUMNS) } };
}

/** @param name the token's mint or ticker */
export async function token(context: Context, name: string): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Reading the token");
  const mint = await resolveMint(client, name, signal);
  const [found, links, history] = await Promise.all([
    client.token(mint, { signal }),
    client.metadata(mint, { signal }).catch(() => null),
    client.market(mint, { signal }).catch(() => null),
  ]);
  const market = history?.market ?? undefined;
  const { website, twitter, telegram } = links ?? {};
  const imageUrl = links?.image || undefined;
  const fields = [
    ["Ticker", found.ticker],
    ["Name", found.tokenName],
    ["Mint", found.tokenMint],
    ["Pool", found.poolAddress],
    ["Deployed", found.deployedAt],
    ["Price", market && `${PRICE.format(market.priceSOL)} SOL`],
    ["Market cap", market && solText(market.marketCapSOL)],
    ["Curve", market && curveText(market)],
    ["Claimed", found.claimedAt ?? "never"],
    ["Claimed to", found.claimedToAddress],
    ["Handed over to", found.holder],
    ["Launched by", found.launchedBy],
    ["Image", imageUrl],
    ["Website", website],
    ["X", twitter],
    ["Telegram", telegram],
  ] as const;
  return { data: { ...found, market, imageUrl, website, twitter, telegram }, view: { fields } };
}

/** Never an exponent. */
const PRICE = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

const curveText = ({ isMigrated, raisedSOL, graduationSOL }: Market) =>
  isMigrated ? "complete" : `${solText(raisedSOL)} of ${solText(graduationSOL)}`;

/** Prints the address of a token's page, and opens it at a terminal with a browser. */
export async function open(context: Context, name: string): Promise<Result> {
  const { ask, env, notices, signal } = context;
  const client = await connect(context);
  const mint = await resolveMint(client, name, signal);
  // A ticker's mint comes from the server, and goes to a browser.
  if (!isAddress(mint)) {
    throw new CliError("invalid_response", "The token's mint from the server is not an address");
  }
  const url = `${client.apiUrl}/#/token/${mint}`;
  const isOpened = ask !== null && (await opens(url, env));
  if (isOpened) notices.notice("Opened in the browser.");
  return { data: { url }, view: [url] };
}

/** @returns whether the system's program for web pages started */
function opens(url: string, env: Context["env"]): Promise<boolean> {
  const isHeadless =
    process.platform === "linux" && !(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
  if (isHeadless) return Promise.resolve(false);
  const [program = "", ...args] = opener();
  const child = spawn(program, [...args, url], { env, stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

/** `start` belongs to the shell of Windows, and takes its first argument as a title. */
function opener(): string[] {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["cmd", "/c", "start", ""];
  return ["xdg-open"];
}
