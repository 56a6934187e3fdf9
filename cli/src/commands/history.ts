import type {
  ClaimHistory,
  HistoryOptions,
  PageOptions,
  PaidClaim,
  TokenctlClient,
} from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import type { Desk, Result } from "../desk.ts";
import { second } from "../format.ts";
import { type ColumnOf, rowsOf } from "../table.ts";
import { plain, plainJson } from "../text.ts";

interface HistoryInput extends PageOptions {
  readonly tokenMint?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
  readonly jsonl?: boolean;
}

const COLUMNS: readonly ColumnOf<PaidClaim>[] = [
  ["TIME", ({ claimedAt }) => second(claimedAt)],
  ["TICKER", ({ ticker }) => ticker],
  ["CURVE", ({ dbcClaimedLamports }) => BigInt(dbcClaimedLamports), { dropFirst: 1 }],
  ["POOL", ({ lpClaimedLamports }) => BigInt(lpClaimedLamports), { dropFirst: 2 }],
  ["CLAIMED", ({ claimedLamports }) => BigInt(claimedLamports)],
  ["TRANSACTION", (claim) => claim.transactionHash, { shorten: "middle", dropFirst: 3 }],
];

/** Shown if a claim has paid another wallet. */
const PAID_TO: ColumnOf<PaidClaim> = [
  "PAID TO",
  ({ receivers = [] }) => receivers.map(({ address }) => address).join(", ") || null,
  { shorten: "middle", dropFirst: 4 },
];

export async function history({ client, signal }: Desk, input: HistoryInput): Promise<Result> {
  const { csv, jsonl, tokenMint: token, limit, cursor, ...times } = input;
  const data = await read(client, { ...times, token, limit, cursor, signal });
  const { claims } = data;
  const isFiltered = (token ?? times.from ?? times.to) !== undefined;
  const none = isFiltered ? "No paid claims match the filter." : "No claims have paid.";
  if (csv || jsonl) {
    const raw = csv ? csvOf(claims) : claims.map((claim) => `${plainJson(claim)}\n`).join("");
    return { data, raw, next: claims.length === 0 ? [none] : [] };
  }
  const columns = claims.some(({ receivers }) => receivers) ? [...COLUMNS, PAID_TO] : COLUMNS;
  return { data, table: rowsOf(claims, columns, { none, total: true }) };
}

/** Reads one page if `limit` is set, otherwise all pages. */
async function read(
  client: TokenctlClient,
  { limit, cursor, ...filter }: HistoryOptions & PageOptions,
): Promise<ClaimHistory> {
  if (limit !== undefined) return client.claimHistoryPage({ ...filter, limit, cursor });
  const claims: PaidClaim[] = [];
  for await (const claim of client.claimHistory(filter)) claims.push(claim);
  return { claims };
}

/** The columns of the CSV. Scripts rely on their order, so new columns come last. */
const CSV: readonly (readonly [title: string, value: (claim: PaidClaim) => string])[] = [
  ["claimedAt", (claim) => claim.claimedAt],
  ["ticker", (claim) => claim.ticker],
  ["tokenMint", (claim) => claim.tokenMint],
  // `formatSol` writes plain digits; JSON would write 1e-9.
  ["claimedSOL", (claim) => formatSol(BigInt(claim.claimedLamports))],
  ["claimedLamports", (claim) => claim.claimedLamports],
  ["dbcClaimedLamports", (claim) => claim.dbcClaimedLamports],
  ["lpClaimedLamports", (claim) => claim.lpClaimedLamports],
  ["transactionHash", (claim) => claim.transactionHash],
  // The payments of the whole transaction, which may claim several tokens.
  [
    "paidTo",
    ({ receivers = [] }) => receivers.map((it) => `${it.address}=${it.paidLamports}`).join(" "),
  ],
];

/** Returns CSV by RFC 4180 with a header, except that lines end with a line feed. */
function csvOf(claims: readonly PaidClaim[]): string {
  const rows = claims.map((claim) => CSV.map(([, value]) => csvCell(value(claim))));
  return [CSV.map(([title]) => title), ...rows].map((row) => `${row.join(",")}\n`).join("");
}

/** Quotes a cell. Spreadsheets run a cell that begins like a formula, so it gets a leading `'`. */
function csvCell(value: string): string {
  const text = plain(value).replace(/^[=+\-@]/, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
