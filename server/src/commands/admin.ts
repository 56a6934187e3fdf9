import { createInterface } from "node:readline/promises";
import type { LaunchReport } from "../store/operator-reads.ts";
import { askServer } from "./admin/client.ts";
import * as render from "./admin/render.ts";

/** What every command of `tokend admin` takes. */
interface Options {
  readonly json?: boolean;
}

interface Launches {
  readonly launches: readonly LaunchReport[];
}

interface ChangeOptions extends Options {
  readonly reason?: string;
}

/** Prints an answer: as it is for programs, or for people. */
function print<Answer>(
  answer: unknown,
  { json = false }: Options,
  forPeople: (answer: Answer) => string,
): void {
  console.log(json ? JSON.stringify(answer, null, 2) : forPeople(answer as Answer));
}

export async function status(options: Options): Promise<void> {
  print(await askServer("/status"), options, render.renderStatus);
}

export async function launches(
  options: Options & { status?: string; wallet?: string; since?: string; limit: string },
): Promise<void> {
  const query = new URLSearchParams({ limit: options.limit });
  if (options.status !== undefined) query.set("status", options.status);
  if (options.wallet !== undefined) query.set("wallet", options.wallet);
  if (options.since !== undefined) query.set("since", String(timeOf(options.since)));
  print(await askServer(`/launches?${query}`), options, render.renderLaunches);
}

export async function launch(eventId: string, options: Options): Promise<void> {
  const answer = await askServer(`/launches/${encodeURIComponent(eventId)}`);
  print(answer, options, render.renderLaunch);
}

export async function agents(options: Options & { limit: string }): Promise<void> {
  print(await askServer(`/agents?limit=${options.limit}`), options, render.renderAgents);
}

export async function audit(options: Options & { limit: string }): Promise<void> {
  print(await askServer(`/audit?limit=${options.limit}`), options, render.renderAudit);
}

/** Puts a wallet on a list, or takes it off. */
export async function setRule(
  rule: "block" | "unblock" | "allow" | "disallow",
  wallet: string,
  options: ChangeOptions,
): Promise<void> {
  const answer = await askServer(`/wallets/${encodeURIComponent(wallet)}/${rule}`, why(options));
  print(answer, options, () => `${wallet}: done (${rule})`);
}

export async function createInvites(
  options: ChangeOptions & {
    count: number;
    uses: number;
    note?: string;
    expiresInDays?: number;
  },
): Promise<void> {
  const { count, uses, note = null, expiresInDays = null } = options;
  const answer = await askServer("/invites", { count, uses, note, expiresInDays, ...why(options) });
  print(answer, options, render.renderInvites);
}

export async function listInvites(options: Options): Promise<void> {
  print(await askServer("/invites"), options, render.renderInvites);
}

export async function revokeInvite(id: string, options: ChangeOptions): Promise<void> {
  const answer = await askServer(`/invites/${encodeURIComponent(id)}/revoke`, why(options));
  print(answer, options, () => `Invite ${id} is revoked`);
}

const FOLLOWS =
  "This server follows now, others of the database within seconds: tokend admin status shows them";

export async function pause(
  what: string,
  options: ChangeOptions & { reason: string },
): Promise<void> {
  const answer = await askServer(`/pause/${what}`, why(options));
  print(answer, options, () => `Paused: ${what}. ${FOLLOWS}`);
}

export async function resume(what: string, options: ChangeOptions): Promise<void> {
  const answer = await askServer(`/resume/${what}`, why(options));
  print(answer, options, () => `Resumed: ${what}. ${FOLLOWS}`);
}

export async function retry(eventId: string, options: ChangeOptions): Promise<void> {
  const path = `/launches/${encodeURIComponent(eventId)}/retry`;
  const answer = await askServer(path, why(options));
  print(answer, options, () => `${eventId} is in the queue again`);
}

interface CancelOptions extends ChangeOptions {
  readonly wallet?: string;
  readonly address?: string;
  readonly network?: string;
  readonly since?: string;
  readonly yes?: boolean;
}

/** How many of the launches are shown that are about to be cancelled. */
const SHOWN = 50;

/** Shows what would be cancelled, and cancels it once that is confirmed. */
export async function cancel(options: CancelOptions): Promise<void> {
  const { wallet, address, network, since, yes = false } = options;
  const named = Object.entries({ wallet, address, network }).filter(([, value]) => value);
  if (named.length === 0 && since === undefined) {
    throw new Error("Say which launches: --wallet, --address, --network or --since");
  }
  const from = since === undefined ? null : timeOf(since);
  const query = new URLSearchParams([
    ...(named as [string, string][]),
    ...(from === null ? [] : [["since", String(from)] as [string, string]]),
    ...Object.entries({ status: "pending", unsigned: "true", limit: "10000" }),
  ]);
  const { launches } = (await askServer(`/launches?${query}`)) as Launches;
  if (launches.length === 0) {
    return print({ cancelled: 0 }, options, () => "No launch that waits is one of these");
  }
  if (!yes) {
    console.error(render.renderLaunches({ launches: launches.slice(0, SHOWN) }));
    if (launches.length > SHOWN) console.error(`and ${launches.length - SHOWN} more`);
    await confirm(`Cancel ${launches.length} launches?`);
  }
  // What was accepted after the look was not shown.
  const until = Math.max(...launches.map(({ createdAt }) => createdAt));
  const which = { ...Object.fromEntries(named), since: from, until };
  const answer = await askServer("/launches/cancel", { ...which, ...why(options) });
  print<{ cancelled: number }>(
    answer,
    options,
    ({ cancelled }) => `${cancelled} launches are cancelled`,
  );
}

/** @throws {Error} unless a person at a terminal answers yes */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Error(`${question} Nothing was cancelled: repeat it with --yes`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${question} [y/N] `);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error("Nothing was cancelled");
}

/** @param config an address, or `default` for that of the environment */
export async function useConfig(config: string, options: ChangeOptions): Promise<void> {
  const address = config === "default" ? null : config;
  const answer = await askServer("/config", { config: address, ...why(options) });
  print(answer, options, () => `The next launches use ${address ?? "DBC_CONFIG"}. ${FOLLOWS}`);
}

/** @param level a level, or `default` for that of the environment */
export async function logLevel(level: string, options: ChangeOptions): Promise<void> {
  const answer = await askServer("/log-level", {
    level: level === "default" ? null : level,
    ...why(options),
  });
  print(answer, options, () => `The log level is ${level}. ${FOLLOWS}`);
}

function why({ reason = null }: { readonly reason?: string | null }) {
  return { reason };
}

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @param text a date such as 2026-03-01T09:00Z, or how long ago: 30m, 2h, 7d */
function timeOf(text: string): number {
  const ago = /^(\d{1,6})([mhd])$/.exec(text);
  if (ago) return Date.now() - Number(ago[1]) * (UNITS[ago[2] ?? ""] ?? 0);
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new Error("--since is a date such as 2026-03-01T09:00Z, or 30m, 2h, 7d");
  return at;
}
