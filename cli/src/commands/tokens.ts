import { spawn } from "node:child_process";
import type { Market, PageOptions, Token } from "@tokenctl/sdk";
import { solText } from "../amount.ts";
import type { Desk, Result } from "../desk.ts";
import { CliError } from "../errors.ts";
import type { ColumnOf } from "../table.ts";
import { minute } from "../text.ts";
import { listed } from "./list.ts";

const COLUMNS: readonly ColumnOf<Token>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["NAME", ({ tokenName }) => tokenName, { shorten: "end", dropFirst: 1 }],
  ["MINT", ({ tokenMint }) => tokenMint, { shorten: "middle" }],
  ["DEPLOYED", ({ deployedAt }) => minute(deployedAt), { dropFirst: 2 }],
  [
    "CLAIMED",
    ({ claimedAt }) => (claimedAt === null ? "never" : minute(claimedAt)),
    { dropFirst: 3 },
  ],
];

export async function tokens({ client, signal }: Desk, page: PageOptions): Promise<Result> {
  const data = await client.tokens({ ...page, received: true, signal });
  const none = "This wallet has no tokens yet.";
  return listed(data, { rows: data.tokens, columns: COLUMNS, none });
}

export async function token(
  { client, signal }: Desk,
  { tokenMint }: { tokenMint: string },
): Promise<Result> {
  const [found, links, history] = await Promise.all([
    client.token(tokenMint, { signal }),
    client.metadata(tokenMint, { signal }).catch(() => null),
    client.market(tokenMint, { signal }).catch(() => null),
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

/** Never writes an exponent. */
const PRICE = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

const curveText = ({ isMigrated, raisedSOL, graduationSOL }: Market) =>
  isMigrated ? "complete" : `${solText(raisedSOL)} of ${solText(graduationSOL)}`;

/** Prints the address of a token's page, and opens it at a terminal with a browser. */
export async function open(
  { ask, client, env, notices }: Desk,
  { tokenMint }: { tokenMint: string },
): Promise<Result> {
  const url = pageOf(client, tokenMint);
  const isOpened = ask !== null && (await opens(url, env));
  if (isOpened) notices.notice("Opened in the browser.");
  return { data: { url }, view: [url] };
}

/** Returns the URL of a token's public page. @throws {CliError} if the server's mint is invalid */
export function pageOf({ apiUrl }: Desk["client"], tokenMint: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(tokenMint)) return `${apiUrl}/t/${tokenMint}`;
  throw new CliError("invalid_response", "The token's mint from the server is not an address");
}

function opens(url: string, env: Desk["env"]): Promise<boolean> {
  const isHeadless =
    process.platform === "linux" && !(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
  if (isHeadless) return Promise.resolve(false);
  const { platform } = process;
  // `start` is built into the Windows shell, and takes its first quoted argument as a title.
  const [program = "", ...args] =
    platform === "win32"
      ? ["cmd", "/c", "start", ""]
      : [platform === "darwin" ? "open" : "xdg-open"];
  const child = spawn(program, [...args, url], { env, stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}
