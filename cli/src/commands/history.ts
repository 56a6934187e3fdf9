import type { HistoryOptions, PaidClaim } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { connect } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { resolveMint } from "../resolve-token.ts";
import { type ColumnOf, rowsOf } from "../table.ts";
import { plain, plainJson } from "../text.ts";

interface HistoryFlags extends Pick<HistoryOptions, "token"> {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
  readonly jsonl?: boolean;
}

const COLUMNS: readonly ColumnOf<PaidClaim>[] = [
  { title: "TIME", of: ({ claimedAt }) => claimedAt.replace(/\.\d+Z$/, "Z") },
  { title: "TICKER", of: ({ ticker }) => ticker },
  {
    title: "CURVE",
    of: ({ dbcClaimedLamports }) => BigInt(dbcClaimedLamports),
    align: "right",
    dropFirst: 1,
  },
  {
    title: "POOL",
    of: ({ lpClaimedLamports }) => BigInt(lpClaimedLamports),
    align: "right",
    dropFirst: 2,
  },
  { title: "CLAIMED", of: ({ claimedLamports }) => BigInt(claimedLamports), align: "right" },
  { title: "TRANSACTION", of: (claim) => claim.transactionHash, shorten: "middle", dropFirst: 3 },
];

/** Shown if a claim has paid another wallet. */
const PAID_TO: ColumnOf<PaidClaim> = {
  title: "PAID TO",
  of: ({ receivers = [] }) => receivers.map(({ address }) => address).join(", ") || null,
  shorten: "middle",
  dropFirst: 4,
};

export async function history(
  context: Context,
  { csv, jsonl, token, ...times }: HistoryFlags,
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Reading the claims");
  const mint = token && (await resolveMint(client, token, signal));
  const claims: PaidClaim[] = [];
  for await (const claim of client.claimHistory({ ...times, token: mint, signal })) {
    claims.push(claim);
  }
  const isFiltered = mint !== undefined || times.from !== undefined || times.to !== undefined;
  const hasOthers =
    claims.length === 0 &&
    isFiltered &&
    (await client.claimHistoryPage({ limit: 1, signal })).claims.length > 0;
  const none = hasOthers
    ? "No paid claims match the filter; there are others."
    : "No claims have paid.";
  const data = { claims };
  if (csv || jsonl) {
    const raw = csv ? csvOf(claims) : claims.map((claim) => `${plainJson(claim)}\n`).join("");
    return { data, view: { raw }, next: hasOthers ? [none] : [] };
  }
  if (claims.length === 0) return { data, view: [none] };
  const columns = claims.some(({ receivers }) => receivers) ? [...COLUMNS, PAID_TO] : COLUMNS;
  return { data, view: { table: rowsOf(claims, columns, { total: true }) } };
}

/** The columns of the CSV. Scripts rely on their order: new ones come last. */
const CSV: readonly (readonly [title: string, value: (claim: PaidClaim) => string])[] = [
  ["claimedAt", (claim) => claim.claimedAt],
  ["ticker", (claim) => claim.ticker],
  ["tokenMint", (claim) => claim.tokenMint],
  // In plain digits: JSON writes 1e-9.
  ["claimedSOL", (claim) => formatSol(BigInt(claim.claimedLamports))],
  ["claimedLamports", (claim) => claim.claimedLamports],
  ["dbcClaimedLamports", (claim) => claim.dbcClaimedLamports],
  ["lpClaimedLamports", (claim) => claim.lpClaimedLamports],
  ["transactionHash", (claim) => claim.transactionHash],
  // Of the whole transaction, which may have claimed several tokens.
  [
    "paidTo",
    ({ receivers = [] }) => receivers.map((it) => `${it.address}=${it.paidLamports}`).join(" "),
  ],
];

/** @returns CSV by RFC 4180 with a header, in lines that end with a line feed */
function csvOf(claims: readonly PaidClaim[]): string {
  const rows = claims.map((claim) => CSV.map(([, value]) => csvCell(value(claim))));
  return [CSV.map(([title]) => title), ...rows].map((row) => `${row.join(",")}\n`).join("");
}

/** A spreadsheet runs a cell that begins like a formula: a leading quote makes it text. */
function csvCell(value: string): string {
  const text = plain(value).replace(/^[=+\-@]/, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
