import type { HandOverCost, Token } from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { explorerLines } from "../chains.ts";
import type { Desk, Result } from "../desk.ts";
import { CliError } from "../errors.ts";
import { needsYes } from "../network.ts";
import { chooseReceivers, namesOf, payoutLines } from "../receivers.ts";
import type { ColumnOf } from "../table.ts";
import { listed } from "./list.ts";

interface HandOver {
  readonly tokenMint: string;
  readonly to: string;
  readonly leaveFees?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** How many characters of the receiver's address are typed. */
const TYPED = 6;

export async function handOver(
  desk: Desk,
  { tokenMint: mint, to, leaveFees, force, yes }: HandOver,
): Promise<Result> {
  const { client, notices, signal, ask, settings } = desk;
  needsYes(desk, "A hand-over cannot be undone", yes);
  const claimTo = chooseReceivers(settings, client.address, undefined);
  const network = await desk.network();
  notices.progress("Preparing the hand-over");
  const approve = async (cost: HandOverCost) => {
    if (yes || ask === null) return;
    notices.stop();
    const chain = network ?? "an unknown chain";
    const first =
      leaveFees || !claimTo ? "" : `, with the open fees claimed to ${namesOf(claimTo)}`;
    const question =
      `Give ${given(cost)} of ${mint} to ${to} on ${chain}, for ${costText(cost)}${first}? ` +
      `It cannot be undone. The last ${TYPED} characters of the address: `;
    if ((await ask(question)).trim() === to.slice(-TYPED)) return;
    throw new CliError("declined", "Nothing was handed over", {
      hint: `Type ${TYPED} characters, capitals as they are, or add --yes`,
    });
  };
  const options = { to, force, claimFees: !leaveFees, claimTo, approve, signal };
  const { success: _, ...receipt } = await client.handOver(mint, options);
  const { claimed, transactionHash } = receipt;
  const paid = claimed.flatMap(({ receivers = [] }) => receivers);
  const sum = claimed.reduce((total, { claimedSOL }) => total + solToLamports(claimedSOL), 0n);
  const fields = [
    ["Handed over", mint],
    ["To", to],
    ["Claimed before", claimed.length > 0 ? sum : undefined],
    ...payoutLines(paid).map((line) => ["Paid", line] as const),
    ["Transaction", transactionHash],
  ] as const;
  const next = [
    ...explorerLines(network, "tx", transactionHash),
    `Next: the receiver runs \`tokenctl accept ${mint}\``,
  ];
  return { data: { tokenMint: mint, ...receipt }, view: { fields }, next };
}

/** @returns what of a token the receiver gets, and the agent does not keep */
function given({ givesRole, givesPosition }: HandOverCost): string {
  const parts = [
    givesRole && "the creator's role",
    givesPosition && "the position after the curve",
  ];
  return parts.filter((part) => part !== false).join(" and ");
}

function costText({ networkFeeLamports, rentLamports }: HandOverCost): string {
  const total = `${formatSol(networkFeeLamports + rentLamports)} SOL`;
  return rentLamports === 0n ? total : `${total} with the rent of the receiver's account`;
}

const COLUMNS: readonly ColumnOf<Token>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["NAME", ({ tokenName }) => tokenName, { shorten: "end", dropFirst: 1 }],
  ["MINT", ({ tokenMint }) => tokenMint],
  ["LAUNCHED BY", ({ launchedBy }) => launchedBy ?? "", { shorten: "middle" }],
];

/** @param tokenMint of a token that the wallet does not list yet; none with `--list` */
export async function accept(
  { client, notices, signal }: Desk,
  { tokenMint }: { tokenMint?: string },
): Promise<Result> {
  if (tokenMint === undefined) {
    notices.progress("Reading the tokens that wait");
    const data = await client.waitingTokens({ signal });
    const next = ["Next: `tokenctl accept` or `tokenctl decline` with the mint of one"];
    const result = listed(data, { rows: data.tokens, columns: COLUMNS, none: NONE });
    return { ...result, next: data.tokens.length > 0 ? next : [] };
  }
  notices.progress("Accepting the token");
  const token = await client.acceptToken(tokenMint, { signal });
  const fields = [
    ["Accepted", token.ticker],
    ["Name", token.tokenName],
    ["Mint", token.tokenMint],
    ["Launched by", token.launchedBy],
  ] as const;
  const next = ["Next: `tokenctl fees` shows what it earns"];
  return { data: token, view: { fields }, next };
}

const NONE = "No token waits to be accepted.";

/** @param tokenMint none with `--all` */
export async function decline(
  { client, signal }: Desk,
  { tokenMint }: { tokenMint?: string },
): Promise<Result> {
  const waiting = tokenMint === undefined ? await client.waitingTokens({ signal }) : null;
  const mints = waiting?.tokens.map((token) => token.tokenMint) ?? [tokenMint ?? ""];
  const tokens: Token[] = [];
  for (const mint of mints) tokens.push(await client.declineToken(mint, { signal }));
  const view = tokens.map((token) => `Declined ${token.ticker} (${token.tokenMint})`);
  return { data: { tokens }, view: view.length > 0 ? view : [NONE] };
}
