import type { AuditEntry, Invite, LaunchReport } from "../../store/operator.ts";
import type { Erased, HiddenToken } from "../../store/takedowns.ts";
import { type Cell, table } from "../terminal.ts";

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** A row for each value, by its name in the JSON, such as `queue.depth`; times as ISO-8601. */
function rows(value: unknown, name = ""): (readonly [string, Cell])[] {
  if (typeof value !== "object" || value === null) {
    const isTime = typeof value === "number" && /(At|Since)$/.test(name);
    return [[name, isTime ? time(value) : value === null ? null : String(value)]];
  }
  return Object.entries(value).flatMap(([field, part]) =>
    rows(part, name === "" ? field : `${name}.${field}`),
  );
}

const whole = (report: object) => table(rows(report));

function launches({ launches }: { readonly launches: readonly LaunchReport[] }): string {
  return table([
    ["EVENT ID", "STATUS", "TICKER", "WALLET", "ADDRESS", "ACCEPTED", "LEASED", "REASON"],
    ...launches.map(({ eventId, status, ticker, wallet, address, createdAt, ...launch }) => {
      const reason = launch.error ?? launch.waitingFor;
      return [eventId, status, ticker, wallet, address, time(createdAt), launch.attempts, reason];
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

const hide = ({ tokenMint, ticker }: HiddenToken) =>
  `${ticker} (${tokenMint}) and its image are shown nowhere from now on. Its metadata document keeps name and symbol, which are on chain, and its agent can still claim. Caches and CDNs may have copies for some time: purge them`;

const unhide = ({ tokenMint, ticker }: HiddenToken) => `${ticker} (${tokenMint}) is shown again`;

function forget({ wallet, erased }: { readonly wallet: string; readonly erased: Erased }): string {
  const rows = Object.entries(erased).map(([what, n]) => [n, WHAT_IS_ERASED[what as keyof Erased]]);
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
  "in the database: launches, tokens, claims and hand-overs with their transactions (who owns which fees), your lists and the audit",
  "copies: backups until you delete them, logs until they rotate, caches and CDNs until they expire",
];

export const views = {
  status: whole,
  launches,
  launch: whole,
  invites,
  "invites create": invites,
  audit,
  hide,
  unhide,
  forget,
};
