import { describePace } from "../../domain/cluster-pace.ts";
import type { AdminStatus } from "../../store/admin-status.ts";
import type { Invite } from "../../store/admission.ts";
import type { AuditEntry } from "../../store/operator.ts";
import type { AgentReport, LaunchReport, LaunchSignature } from "../../store/operator-reads.ts";

const NONE = "-";

type Row = readonly (string | number | null)[];

/** @returns rows in columns; control characters of agents' texts are shown as they are escaped in JSON */
function table(head: readonly string[], rows: readonly Row[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => plain(cell ?? NONE)))];
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => (row[column] ?? "").length)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function plain(cell: string | number): string {
  return String(cell).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

const time = (ms: number | null) => (ms === null ? NONE : new Date(ms).toISOString());

function paceText({ msPerBlock, lamportsPerByte }: AdminStatus["chain"]): string {
  return describePace({ msPerBlock, rentPerByte: BigInt(lamportsPerByte ?? 0) });
}

export function renderStatus(status: AdminStatus): string {
  const { health, chain, wallet, queue, rates, admission } = status;
  const limited = (value: number, limit: number | null) =>
    limit === null ? String(value) : `${value} of ${limit}`;
  const counts = ({ pending, success, failed, rate_limited }: typeof rates.lastHour) =>
    `${success} success, ${failed} failed, ${rate_limited} rate_limited, ${pending} pending`;
  const pauses = Object.entries(status.pauses).map(
    ([what, reason]): Row => ["Paused", `${what}: ${reason}`],
  );
  const rows: Row[] = [
    ["Version", status.version],
    ["Health", `${health.ok ? "ok" : "NOT OK"}${health.message ? `: ${health.message}` : ""}`],
    ["Database", status.database],
    ["Chain", `${chain.name}, ${chain.ok ? "ok" : (chain.problem ?? "not usable")}`],
    ...(chain.warning ? [["", chain.warning]] : []),
    ...(chain.config ? [["Config", chain.config]] : []),
    ...(chain.lamportsPerByte === null ? [] : [["Pace", paceText(chain)]]),
    ["Wallet", wallet.balanceSOL === null ? NONE : `${wallet.balanceSOL} SOL`],
    ["Spent today", `${limited(wallet.spentTodaySOL, wallet.maxDailySpendSOL)} SOL`],
    ...(wallet.committedSOL === null
      ? []
      : [["With those that wait", `${wallet.committedSOL} SOL`] as const]),
    ["Queue", `${limited(queue.depth, queue.limit)}, oldest ${time(queue.oldestCreatedAt)}`],
    ["Last hour", counts(rates.lastHour)],
    ["Last day", counts(rates.lastDay)],
    ["Agents of the hour", limited(rates.agentsOfHour, rates.maxAgentsOfHour)],
    ["Admission", `${admission.mode}, ${admission.minAgentSOL} SOL at least`],
    ["Log level", status.logLevel ?? "of the environment"],
    ...pauses,
  ];
  const servers = status.servers.map((server): Row => {
    const { host, pid, url, version, startedAt, seenAt, isUpToDate } = server;
    return [host, pid, url, version, time(startedAt), time(seenAt), isUpToDate ? "yes" : "not yet"];
  });
  const head = ["HOST", "PID", "URL", "VERSION", "STARTED", "SEEN", "FOLLOWS"];
  return `${table(["", ""], rows).trimStart()}\n\n${table(head, servers)}`;
}

export function renderLaunches({
  launches,
}: {
  readonly launches: readonly LaunchReport[];
}): string {
  return table(
    ["EVENT ID", "STATUS", "TICKER", "WALLET", "ADDRESS", "ACCEPTED", "LEASED", "REASON"],
    launches.map((launch) => [
      ...[launch.eventId, launch.status, launch.ticker, launch.wallet, launch.address],
      ...[time(launch.createdAt), launch.attempts, launch.error ?? launch.waitingFor],
    ]),
  );
}

export function renderLaunch(
  launch: LaunchReport & { readonly transactions: readonly LaunchSignature[] },
): string {
  const rows: Row[] = [
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
    ...launch.transactions.map(({ signature, signedAt }) => [
      "Transaction",
      `${signature}, signed ${time(signedAt)}`,
    ]),
  ];
  return table(["", ""], rows).trimStart();
}

export function renderAgents({ agents }: { readonly agents: readonly AgentReport[] }): string {
  const lists = ({ isBlocked, isAllowed, isInvited }: AgentReport) =>
    [isBlocked && "blocked", isAllowed && "allowed", isInvited && "invited"]
      .filter((list) => list !== false)
      .join(", ") || NONE;
  return table(
    ["WALLET", "LAUNCHES", "PENDING", "TOKENS", "LAST LAUNCH", "LISTS"],
    agents.map((agent) => [
      ...[agent.wallet, agent.launches, agent.pending, agent.tokens],
      ...[time(agent.lastLaunchAt), lists(agent)],
    ]),
  );
}

export function renderInvites({
  invites,
}: {
  readonly invites: readonly (Invite & { readonly code?: string })[];
}): string {
  const hasCodes = invites.some(({ code }) => code !== undefined);
  return table(
    ["ID", ...(hasCodes ? ["CODE"] : []), "USED", "EXPIRES", "REVOKED", "NOTE"],
    invites.map(({ id, code, uses, maxUses, expiresAt, revokedAt, note }) => [
      ...[id, ...(hasCodes ? [code ?? NONE] : []), `${uses} of ${maxUses}`],
      ...[time(expiresAt), time(revokedAt), note],
    ]),
  );
}

export function renderAudit({ entries }: { readonly entries: readonly AuditEntry[] }): string {
  return table(
    ["TIME", "BY", "ACTION", "SUBJECT", "DETAIL", "REASON"],
    entries.map(({ at, actor, action, subject, detail, reason }) => [
      ...[time(at), actor, action, subject, detail, reason],
    ]),
  );
}
