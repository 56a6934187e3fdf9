import type { ClaimHistory, PaidClaim } from "@tokenctl/sdk";
import { readReceivers } from "../claim-terms.ts";
import { type ColumnOf, rowsOf } from "../desk.ts";
import { second } from "../format.ts";
import { command } from "./command.ts";
import { A_TOKEN, eitherTokenOr, PAGE, RPC_URL, TOKEN, YES } from "./common.ts";
import { flag, sol, texts } from "./field.ts";

export const MAX_TOTAL_FEE = sol("maximum network fees and rent", { default: 0.02 });

const COLUMNS: readonly ColumnOf<PaidClaim>[] = [
  ["TIME", ({ claimedAt }) => second(claimedAt)],
  ["TICKER", ({ ticker }) => ticker],
  ["CURVE", ({ dbcClaimedLamports }) => BigInt(dbcClaimedLamports)],
  ["POOL", ({ lpClaimedLamports }) => BigInt(lpClaimedLamports)],
  ["CLAIMED", ({ claimedLamports }) => BigInt(claimedLamports)],
  ["TRANSACTION", (claim) => claim.transactionHash, "middle"],
];

/** Shown if a claim has paid another wallet. */
const PAID_TO: ColumnOf<PaidClaim> = [
  "PAID TO",
  ({ receivers = [] }) => receivers.map(({ address }) => address).join(", ") || null,
  "middle",
];

export const claimCommands = [
  command({
    name: "fees",
    help: "list what the wallet's tokens have earned",
    operands: { tokenMint: TOKEN },
    examples: ["tokenctl fees", "tokenctl fees MINE"],
    tool: {
      name: "get_fees",
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
      yes: YES,
      maxTotalFeeSol: MAX_TOTAL_FEE,
      rpcUrl: RPC_URL,
    },
    unless(input) {
      const receivers = input.to && readReceivers(input.to);
      if (typeof receivers === "string") return `--to: ${receivers}`;
      return eitherTokenOr("all", "every token")(input);
    },
    examples: [
      "tokenctl claim MINE",
      "tokenctl claim --all --max-total-fee-sol 0.01",
      'tokenctl claim MINE --to "$VAULT=70" --to "$PARTNER=30"',
      "tokenctl claim --all --rpc-url https://api.mainnet-beta.solana.com",
    ],
    tool: {
      name: "claim_fees",
      help: "claim the fees of one token",
      about: "To this wallet, unless its owner set others. A repeat claims only what is left.",
      arguments: A_TOKEN,
    },
    run: async (desk, input) => (await import("../commands/claim.ts")).claim(desk, input),
  }),
  command({
    help: "claim the fees of all tokens",
    effect: "pays",
    tool: {
      name: "claim_all_fees",
      about:
        "To whom claim_fees pays them. A token whose claim costs more than it pays is skipped. A repeat claims only what is left.",
    },
    run: async (desk) => (await import("../commands/claim.ts")).claim(desk, { all: true }),
  }),
  command({
    name: "history",
    help: "list paid claims, newest first",
    fields: { tokenMint: { ...TOKEN, "x-flag": "--token <token>" } },
    examples: ["tokenctl history", "tokenctl history --json | jq -r '.claims[].transactionHash'"],
    tool: {
      name: "get_history",
      about: "In pages: token, SOL, lamports by kind, transaction and time.",
      arguments: PAGE,
    },
    async run({ client, signal }, { tokenMint: token, limit, cursor }) {
      const filter = { token, signal };
      const page = limit !== undefined && { ...filter, limit, cursor };
      const data: ClaimHistory = page ? await client.claimHistoryPage(page) : { claims: [] };
      const { claims } = data;
      if (!page) for await (const claim of client.claimHistory(filter)) claims.push(claim);
      const none = "No claims have paid.";
      const columns = claims.some(({ receivers }) => receivers) ? [...COLUMNS, PAID_TO] : COLUMNS;
      return { data, table: rowsOf(claims, columns, { none, total: true }) };
    },
  }),
];
