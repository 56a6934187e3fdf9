import type { HandOverCost, Token } from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { connect, orInterrupted } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { CliError, UsageError } from "../errors.ts";
import { enterNetwork } from "../network.ts";
import { afterHandOver } from "../next-steps.ts";
import { chooseReceivers, namesOf, payoutLines, payoutsOnWire } from "../receivers.ts";
import { resolveMint } from "../resolve-token.ts";
import { type ColumnOf, rowsOf } from "../table.ts";

interface HandOverFlags {
  readonly to: string;
  readonly leaveFees?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly sandbox?: boolean;
}

/** How many characters of the receiver's address are typed. */
const TYPED = 6;

/** @param name the token's mint or ticker */
export async function handOver(
  context: Context,
  name: string,
  { to, leaveFees, force, yes, sandbox }: HandOverFlags,
): Promise<Result> {
  const { notices, signal, ask, settings } = context;
  if (!yes && ask === null) {
    throw new UsageError(
      "A hand-over cannot be undone",
      "Add --yes where no question can be asked",
    );
  }
  const client = await connect(context, { allowSandboxClaims: sandbox });
  const claimTo = chooseReceivers(settings, client.address, undefined);
  const mint = await resolveMint(client, name, signal);
  const network = await enterNetwork(context, client);
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
  const { success: _, ...receipt } = await orInterrupted(
    client.handOver(mint, { to, force, claimFees: !leaveFees, claimTo, approve, signal }),
    "It may still land: `tokenctl token` shows who has the fees",
  );
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
  const next = afterHandOver(network, transactionHash, mint);
  const before = claimed.map((one) => ({ ...one, receivers: payoutsOnWire(one.receivers) }));
  return { data: { tokenMint: mint, ...receipt, claimed: before }, view: { fields }, next };
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
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "NAME", of: ({ tokenName }) => tokenName, shorten: "end", dropFirst: 1 },
  { title: "MINT", of: ({ tokenMint }) => tokenMint },
  { title: "LAUNCHED BY", of: ({ launchedBy }) => launchedBy ?? "", shorten: "middle" },
];

/** @param mint of a token that the wallet does not list yet, so it has no ticker here; none with `--list` */
export async function accept(context: Context, mint: string | undefined): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  if (mint === undefined) {
    notices.progress("Reading the tokens that wait");
    const data = await client.waitingTokens({ signal });
    if (data.tokens.length === 0) return { data, view: ["No token waits to be accepted."] };
    const next = ["Next: `tokenctl accept` or `tokenctl decline` with the mint of one"];
    return { data, view: { table: rowsOf(data.tokens, COLUMNS) }, next };
  }
  notices.progress("Accepting the token");
  const token = await client.acceptToken(mint, { signal });
  const fields = [
    ["Accepted", token.ticker],
    ["Name", token.tokenName],
    ["Mint", token.tokenMint],
    ["Launched by", token.launchedBy],
  ] as const;
  const next = ["Next: `tokenctl fees` shows what it earns"];
  return { data: token, view: { fields }, next };
}

/** @param mint none with `--all` */
export async function decline(context: Context, mint: string | undefined): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Declining");
  const waiting = mint === undefined ? (await client.waitingTokens({ signal })).tokens : [];
  const mints = mint === undefined ? waiting.map(({ tokenMint }) => tokenMint) : [mint];
  const tokens: Token[] = [];
  for (const one of mints) tokens.push(await client.declineToken(one, { signal }));
  const view = tokens.map(({ ticker, tokenMint }) => `Declined ${ticker} (${tokenMint})`);
  return { data: { tokens }, view: view.length > 0 ? view : ["No token waits to be accepted."] };
}
