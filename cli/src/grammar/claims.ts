import type { ClaimHistory, PaidClaim } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { readReceivers } from "../claim-terms.ts";
import { type ColumnOf, rowsOf } from "../desk.ts";
import { second } from "../format.ts";
import { plain, plainJson } from "../text.ts";
import { command } from "./command.ts";
import { A_TOKEN, eitherTokenOr, PAGE, RPC_URL, TOKEN, YES } from "./common.ts";
import { flag, sol, text, texts, whole } from "./field.ts";

const TIME = {
  pattern: "^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z)?$",
  rule: "a date or a UTC time, such as 2026-01-31 or 2026-01-31T09:30Z",
};

export const MAX_TOTAL_FEE = sol("maximum network fees and rent", { default: 0.02 });

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

export const claimCommands = [
  command({
    name: "fees",
    help: "list what the wallet's tokens have earned",
    doing: "Reading the fees",
    operands: { tokenMint: TOKEN },
    examples: ["tokenctl fees", "tokenctl fees MINE"],
    tool: {
      name: "get_fees",
      set: "fees",
      about:
        "In SOL, with what can be claimed now: bonding-curve fees (dbc…) and, after migration, liquidity-pool fees (lp…).",
    },
    run: async (desk, input) => (await import("../commands/fees.ts")).fees(desk, input),
  }),
  command({
    name: "claim",
    help: "claim the fees of one token, or of all",
    effect: "pays",
    operands: { tokenMint: TOKEN },
    flags: {
      all: flag("claim the fees of every token"),
      to: texts("pay this wallet, or several: <wallet>=70", { flag: "--to <wallet>" }),
      minSol: sol("with --all: skip tokens with less"),
      concurrency: whole("with --all: claims in parallel; default: 1", 1, 16),
      yes: YES,
      maxTotalFeeSol: MAX_TOTAL_FEE,
      rpcUrl: RPC_URL,
    },
    unless(input) {
      const { all, to, minSol, concurrency } = input;
      if (!all && (minSol ?? concurrency) !== undefined) {
        return "--min-sol and --concurrency are only for --all";
      }
      const receivers = to && readReceivers(to);
      if (typeof receivers === "string") return `--to: ${receivers}`;
      return eitherTokenOr("all", "every token")(input);
    },
    examples: [
      "tokenctl claim MINE",
      "tokenctl claim --all --min-sol 0.01 --concurrency 4",
      'tokenctl claim MINE --to "$VAULT=70" --to "$PARTNER=30"',
      "tokenctl claim --all --rpc-url https://api.mainnet-beta.solana.com",
    ],
    tool: {
      name: "claim_fees",
      set: "fees",
      help: "claim the fees of one token",
      about: "To this wallet, unless its owner set others. A repeat claims only what is left.",
      arguments: A_TOKEN,
    },
    unsettled: "The claim may still land: `tokenctl fees` shows what is left",
    run: async (desk, input) => (await import("../commands/claim.ts")).claim(desk, input),
  }),
  command({
    help: "claim the fees of all tokens",
    effect: "pays",
    tool: {
      name: "claim_all_fees",
      set: "fees",
      about:
        "To whom claim_fees pays them. A token whose claim costs more than it pays is skipped. A repeat claims only what is left.",
    },
    run: async (desk) => (await import("../commands/claim.ts")).claim(desk, { all: true }),
  }),
  command({
    name: "history",
    help: "list paid claims, newest first",
    doing: "Reading the claims",
    fields: {
      tokenMint: { ...TOKEN, "x-flag": "--token <token>" },
      from: text("from this time: 2026-01-31 or 2026-01-31T09:30Z", {
        ...TIME,
        flag: "--from <time>",
      }),
      to: text("before this time", { ...TIME, flag: "--to <time>" }),
    },
    flags: {
      csv: flag("print CSV, including lamports", { not: "jsonl" }),
      jsonl: flag("print one line of JSON per claim"),
    },
    unless({ csv, jsonl }, { json }) {
      const other = csv ? "--csv" : jsonl ? "--jsonl" : undefined;
      return json && other && `option '${other}' cannot be used with option '--json'`;
    },
    examples: [
      "tokenctl history --from 2026-01-01 --to 2027-01-01 --csv > claims-2026.csv",
      "tokenctl history --jsonl | jq -r .transactionHash",
    ],
    tool: {
      name: "get_history",
      set: "fees",
      about: "In pages: token, SOL, lamports by kind, transaction and time.",
      arguments: PAGE,
    },
    async run({ client, signal }, { csv, jsonl, tokenMint: token, limit, cursor, ...times }) {
      const filter = { ...times, token, signal };
      const page = limit !== undefined && { ...filter, limit, cursor };
      const data: ClaimHistory = page ? await client.claimHistoryPage(page) : { claims: [] };
      const { claims } = data;
      if (!page) for await (const claim of client.claimHistory(filter)) claims.push(claim);
      const isFiltered = (token ?? times.from ?? times.to) !== undefined;
      const none = isFiltered ? "No paid claims match the filter." : "No claims have paid.";
      if (csv || jsonl) {
        const raw = csv ? csvOf(claims) : claims.map((claim) => `${plainJson(claim)}\n`).join("");
        return { data, raw, next: claims.length === 0 ? [none] : [] };
      }
      const columns = claims.some(({ receivers }) => receivers) ? [...COLUMNS, PAID_TO] : COLUMNS;
      return { data, table: rowsOf(claims, columns, { none, total: true }) };
    },
  }),
];

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
