import { spawn } from "node:child_process";
import type { Token } from "@tokenctl/sdk";
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

/** Lists the wallet's tokens. */
export async function tokens(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the tokens");
  const data = await client.tokens({ signal: context.signal });
  if (data.tokens.length === 0) return { data, view: ["This wallet has no tokens yet."] };
  return { data, view: { table: rowsOf(data.tokens, COLUMNS) } };
}

/** Shows one of the wallet's tokens, with what its metadata adds. @param name its mint or its ticker */
export async function token(context: Context, name: string): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Asking for the token");
  const mint = await resolveMint(client, name, signal);
  const [found, links] = await Promise.all([
    client.token(mint, { signal }),
    client.metadata(mint, { signal }).catch(() => null),
  ]);
  const { website, twitter, telegram } = links ?? {};
  const imageUrl = links?.image || undefined;
  const fields = [
    ["Ticker", found.ticker],
    ["Name", found.tokenName],
    ["Mint", found.tokenMint],
    ["Pool", found.poolAddress],
    ["Deployed", found.deployedAt],
    ["Claimed", found.claimedAt ?? "never"],
    ["Claimed to", found.claimedToAddress],
    ["Image", imageUrl],
    ["Website", website],
    ["X", twitter],
    ["Telegram", telegram],
  ] as const;
  return { data: { ...found, imageUrl, website, twitter, telegram }, view: { fields } };
}

/**
 * Opens a token's page in the browser and prints its address; without a terminal, or without a browser, it
 * only prints.
 *
 * @param name its mint or its ticker
 */
export async function open(context: Context, name: string): Promise<Result> {
  const { ask, env, notices, signal } = context;
  const client = await connect(context);
  const mint = await resolveMint(client, name, signal);
  // The mint of a ticker is the server's word, and a browser gets it.
  if (!isAddress(mint)) {
    throw new CliError("invalid_response", "The server's mint of that token is no address");
  }
  const url = `${client.apiUrl}/#/token/${mint}`;
  const isOpened = ask !== null && (await opens(url, env));
  if (isOpened) notices.notice("Opened in the browser.");
  return { data: { url }, view: [url] };
}

/** @returns whether the system's program for web pages was started */
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

/** `start` belongs to the shell of Windows, and takes its first text for a title. */
function opener(): string[] {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["cmd", "/c", "start", ""];
  return ["xdg-open"];
}
