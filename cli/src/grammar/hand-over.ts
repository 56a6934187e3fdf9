import type { HandOverCost, Token } from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { chooseReceivers, namesOf, payoutLines } from "../claim-terms.ts";
import { type ColumnOf, type Desk, type Field, type Result, rowsOf } from "../desk.ts";
import { solText } from "../format.ts";
import { needsYes } from "../network.ts";
import { command } from "./command.ts";
import { A_TOKEN, eitherTokenOr, RPC_URL, WAITING, YES } from "./common.ts";
import { address, flag, required } from "./field.ts";

export const handOverCommands = [
  command({
    name: "hand-over",
    help: "give a token's fees to another wallet",
    effect: "irreversible",
    operands: A_TOKEN,
    fields: {
      to: required(address("the wallet that gets them", { flag: "--to <address>" })),
      leaveFees: flag("do not claim the open fees first"),
      yes: YES,
      rpcUrl: RPC_URL,
    },
    unless: ({ tokenMint = "", yes }) =>
      yes && /^.{0,31}$|-/.test(tokenMint) && "with --yes, give the token's mint address",
    examples: ["tokenctl hand-over MINE --to 5oWZRuEhZZRLqpfGVuKGnQWHMuDvv3HaMU4orwe8yAq1"],
    async run(desk, { tokenMint: mint, to, leaveFees, yes }) {
      const { client, notices, signal, settings } = desk;
      needsYes(desk, "A hand-over cannot be undone", yes);
      const claimTo = chooseReceivers(settings, client.address, undefined);
      notices.notice("Preparing the hand-over");
      const approve = (cost: HandOverCost, transaction: string) => {
        const question = async () => {
          const { claims } = await client.claims({ received: true, signal });
          const token = claims.find(({ tokenMint }) => tokenMint === mint);
          const open = token ? solText(token.claimableSOL) : "not known";
          const first = `claimed first to ${claimTo ? namesOf(claimTo) : "this wallet"}`;
          const facts: Field[] = [
            ["Token", token?.ticker],
            ["Mint", mint],
            ["To", to],
            ["It gets", given(cost)],
            ["Open fees", `${open}, ${leaveFees ? "which it gets too" : first}`],
            ["Cost", costText(cost)],
            ["Undo", "not possible"],
          ];
          return { action: `Give all future fees of ${token?.ticker ?? mint} to ${to}`, facts };
        };
        return desk.confirm(question, yes, transaction);
      };
      const options = { to, claimFees: !leaveFees, claimTo, approve, signal };
      const { success: _, ...receipt } = await client.handOver(mint, options);
      const { claimed, transactionHash } = receipt;
      const paid = claimed.flatMap(({ receivers = [] }) => receivers);
      const sum = claimed.reduce((total, { claimedSOL }) => total + solToLamports(claimedSOL), 0n);
      return {
        data: { tokenMint: mint, ...receipt },
        fields: [
          ["Handed over", mint],
          ["To", to],
          ["Claimed before", claimed.length > 0 ? sum : undefined],
          ...payoutLines(paid).map((line) => ["Paid", line] as const),
          ["Transaction", transactionHash],
        ],
        next: [`Next: the receiver runs \`tokenctl accept ${mint}\``],
      };
    },
  }),
  command({
    name: "accept",
    help: "accept a token that was handed over",
    effect: "writes",
    operands: { tokenMint: WAITING },
    flags: { list: flag("list the tokens that wait to be accepted") },
    unless: eitherTokenOr("list", "those that wait"),
    examples: ["tokenctl accept --list", "tokenctl accept MINE"],
    tool: {
      name: "accept_token",
      about: "The other tools then show it, and its fees can be claimed.",
      arguments: { tokenMint: required(WAITING) },
    },
    run: accept,
  }),
  command({
    help: "list the tokens that were handed over and wait to be accepted",
    tool: { name: "list_waiting_tokens" },
    run: accept,
  }),
];

/** Describes what the receiver gets of a token and the agent gives up. */
function given({ givesRole, givesPosition }: HandOverCost): string {
  if (!givesPosition) return "all future fees of the curve, and of the pool after it; no liquidity";
  const fees = givesRole
    ? "all future fees of the curve and of the pool"
    : "all future fees of the pool";
  return `${fees}, with the wallet's liquidity there`;
}

function costText({ networkFeeLamports, rentLamports }: HandOverCost): string {
  const total = `${formatSol(networkFeeLamports + rentLamports)} SOL`;
  return rentLamports === 0n ? total : `${total} with the rent of the receiver's account`;
}

const COLUMNS: readonly ColumnOf<Token>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["NAME", ({ tokenName }) => tokenName, "end"],
  ["MINT", ({ tokenMint }) => tokenMint],
  ["LAUNCHED BY", ({ launchedBy }) => launchedBy ?? "", "middle"],
];

/** @param tokenMint a token that the wallet does not list yet; absent with `--list` */
async function accept(
  { client, notices, signal }: Desk,
  { tokenMint }: { tokenMint?: string },
): Promise<Result> {
  if (tokenMint === undefined) {
    notices.notice("Reading the tokens that wait");
    const data = await client.waitingTokens({ signal });
    const next = ["Next: `tokenctl accept` with the mint of one"];
    const table = rowsOf(data.tokens, COLUMNS, { none: "No token waits to be accepted." });
    return { data, table, next: data.tokens.length > 0 ? next : [] };
  }
  notices.notice("Accepting the token");
  const token = await client.acceptToken(tokenMint, { signal });
  return {
    data: token,
    fields: [
      ["Accepted", token.ticker],
      ["Name", token.tokenName],
      ["Mint", token.tokenMint],
      ["Launched by", token.launchedBy],
    ],
    next: ["Next: `tokenctl fees` shows what it earns"],
  };
}
