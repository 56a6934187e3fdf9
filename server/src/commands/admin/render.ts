import type { AdminStatus } from "@tokenctl/shared/operator-report";
import { describePace } from "../../domain/cluster-pace.ts";
import type { AuditEntry, Invite } from "../../store/operator.ts";
import type { AgentReport, LaunchReport } from "../../store/operator-reads.ts";
import type { Erased, HiddenToken } from "../../store/takedowns.ts";
import { type Cell, table } from "../terminal.ts";

type Rows = (readonly Cell[])[];

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function status(report: AdminStatus): string {
  const { health, chain, wallet, queue, rates, admission } = report;
  const { msPerBlock, lamportsPerByte } = chain;
  const pace = { msPerBlock, rentPerByte: BigInt(lamportsPerByte ?? 0) };
  const limited = (value: number, limit: number | null) =>
    limit === null ? String(value) : `${value} of ${limit}`;
  const counts = ({ pending, success, failed, rate_limited }: typeof rates.lastHour) =>
    `${success} success, ${failed} failed, ${rate_limited} rate_limited, ${pending} pending`;
  const pauses = Object.entries(report.pauses);
  const rows: Rows = [
    ["Version", report.version],
    ["Health", `${health.ok ? "ok" : "NOT OK"}${health.message ? `: ${health.message}` : ""}`],
    ["Database", report.database],
    ["Chain", `${chain.name}, ${chain.ok ? "ok" : (chain.problem ?? "not usable")}`],
    ...(chain.warning ? [["", chain.warning]] : []),
    ...(chain.config ? [["Config", chain.config]] : []),
    ...(lamportsPerByte === null ? [] : [["Pace", describePace(pace)]]),
    ["Wallet", wallet.balanceSOL === null ? null : `${wallet.balanceSOL} SOL`],
    ["Spent today", `${limited(wallet.spentTodaySOL, wallet.maxDailySpendSOL)} SOL`],
    ...(wallet.committedSOL === null
      ? []
      : [["With those that wait", `${wallet.committedSOL} SOL`] as const]),
    ["Queue", `${limited(queue.depth, queue.limit)}, oldest ${time(queue.oldestCreatedAt) ?? "-"}`],
    ["Last hour", counts(rates.lastHour)],
    ["Last day", counts(rates.lastDay)],
    ["Agents of the hour", limited(rates.agentsOfHour, rates.maxAgentsOfHour)],
    ["Admission", `${admission.mode}, ${admission.minAgentSOL} SOL at least`],
    ["Log level", report.logLevel ?? "of the environment"],
    ...pauses.map(([what, reason]) => ["Paused", `${what}: ${reason}`]),
  ];
  const servers = report.servers.map((server): Cell[] => {
    const { host, pid, url, version, startedAt, seenAt, isUpToDate } = server;
    return [host, pid, url, version, time(startedAt), time(seenAt), isUpToDate ? "yes" : "not yet"];
  });
  const head = ["HOST", "PID", "URL", "VERSION", "STARTED", "SEEN", "FOLLOWS"];
  return `${table(rows)}\n\n${table([head, ...servers])}`;
}

function launches({ launches }: { readonly launches: readonly LaunchReport[] }): string {
  return table([
    ["EVENT ID", "STATUS", "TICKER", "WALLET", "ADDRESS", "ACCEPTED", "LEASED", "REASON"],
    ...launches.map(({ eventId, status, ticker, wallet, address, createdAt, ...launch }) => {
      const reason = launch.error ?? launch.waitingFor;
      return [eventId, status, ticker, wallet, address, time(createdAt), launch.attempts, reason];
    }),
  ]);
}

function launch(launch: LaunchReport): string {
  const rows: Rows = [
    ["Event id", launch.eventId],
    ["Status", launch.status],
    ["Ticker", launch.ticker],
    ["Name", launch.name],
    ["Wallet", launch.wallet],
    ["Accepted", time(launch.createdAt)],
    ["Ended", time(launch.processedAt)],
    ["Leased", `${launch.attempts} times`],
    ["Error", launch.error],
    ["Waits for", launch.waitingFor && `${launch.waitingFor}, since ${time(launch.waitingSince)}`],
    ["Mint", launch.tokenMint],
    ["Pool", launch.poolAddress],
    ["Transaction", launch.signature],
  ];
  return table(rows);
}

function agents({ agents }: { readonly agents: readonly AgentReport[] }): string {
  const lists = ({ isBlocked, isAllowed, isInvited }: AgentReport) =>
    [isBlocked && "blocked", isAllowed && "allowed", isInvited && "invited"]
      .filter((list) => list !== false)
      .join(", ") || null;
  return table([
    ["WALLET", "LAUNCHES", "PENDING", "TOKENS", "LAST LAUNCH", "LISTS"],
    ...agents.map((agent) => {
      const { wallet, launches, pending, tokens, lastLaunchAt } = agent;
      return [wallet, launches, pending, tokens, time(lastLaunchAt), lists(agent)];
    }),
  ]);
}

type ShownInvite = Invite & { readonly code?: string };

function invites({ invites }: { readonly invites: readonly ShownInvite[] }): string {
  const hasCodes = invites.some(({ code }) => code !== undefined);
  return table([
    ["ID", ...(hasCodes ? ["CODE"] : []), "USED", "EXPIRES", "REVOKED", "NOTE"],
    ...invites.map(({ id, code = null, uses, maxUses, expiresAt, revokedAt, note }) => {
      const used = `${uses} of ${maxUses}`;
      return [id, ...(hasCodes ? [code] : []), used, time(expiresAt), time(revokedAt), note];
    }),
  ]);
}

function audit({ entries }: { readonly entries: readonly AuditEntry[] }): string {
  const rows = entries.map(({ at, actor, action, subject, detail, reason }) => {
    return [time(at), actor, action, subject, detail, reason];
  });
  return table([["TIME", "BY", "ACTION", "SUBJECT", "DETAIL", "REASON"], ...rows]);
}

const link = ({ link }: { readonly link: string }) =>
  `${link}\n\nIt opens once, within 10 minutes, for 15 minutes. Who has it sees what you do: send it to no one.`;

const hide = ({ tokenMint, ticker }: HiddenToken) =>
  `${ticker} (${tokenMint}) and its image are shown nowhere from now on. Its metadata document keeps name and symbol, which are on chain, and its agent can still claim. Caches and CDNs may have copies for some time: purge them`;

const unhide = ({ tokenMint, ticker }: HiddenToken) => `${ticker} (${tokenMint}) is shown again`;

function forget({ wallet, erased }: { readonly wallet: string; readonly erased: Erased }): string {
  const rows = Object.entries(WHAT_IS_ERASED).map(([what, text]) => [
    String(erased[what as keyof Erased]),
    text,
  ]);
  const kept = WHAT_STAYS.map((text) => `- ${text}`).join("\n");
  return `Erased of ${wallet}:\n${table(rows)}\n\nWhat stays, and why:\n${kept}`;
}

const WHAT_IS_ERASED: Readonly<Record<keyof Erased, string>> = {
  launches:
    "launches: descriptions, links, image addresses, network addresses, names without a token",
  images: "images",
  webhooks: "webhooks, with their secrets and logs",
  events: "events",
  thresholds: "thresholds of fees",
};

const WHAT_STAYS = [
  "on chain, for good and for anyone: the wallet's address, its tokens' names, symbols and metadata addresses, all transactions",
  "in the database: launches, tokens, claims and hand-overs with their transactions (whose fees are whose), your lists and the audit",
  "copies: backups until you delete them, logs until they rotate, caches and CDNs until they expire",
];

export const views = {
  status,
  "console-link": link,
  launches,
  launch,
  agents,
  invites,
  "invites create": invites,
  audit,
  hide,
  unhide,
  forget,
};
