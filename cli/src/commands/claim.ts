import type {
  ClaimCost,
  ClaimOutcome,
  ClaimRecord,
  ClaimResult,
  PaidReceiver,
  TokenOfClaim,
  UnreadableClaim,
} from "@tokenctl/sdk";
import { ClaimUnsettledError, ConnectionError, TimeoutError } from "@tokenctl/sdk";
import { parseSol, solToLamports } from "@tokenctl/shared/sol";
import { solText } from "../amount.ts";
import { connect, orInterrupted } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { CliError, exitCodes } from "../errors.ts";
import { type Explanation, explainError } from "../explain-error.ts";
import { confirm, enterNetwork } from "../network.ts";
import { afterClaims } from "../next-steps.ts";
import { chooseReceivers, namesOf, payoutLines, payoutsOnWire } from "../receivers.ts";
import { resolveMint } from "../resolve-token.ts";
import { type ColumnOf, rowsOf } from "../table.ts";
import { venue } from "../text.ts";
import { BUDGET_EXHAUSTED, ClaimBudget } from "./claim-budget.ts";

const FEES: readonly ColumnOf<ClaimRecord>[] = [
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "MINT", of: ({ tokenMint }) => tokenMint, shorten: "middle", dropFirst: 4 },
  { title: "TRADES ON", of: venue, dropFirst: 1 },
  {
    title: "CLAIMABLE (CURVE)",
    of: (fees) => solToLamports(fees.dbcClaimableFees),
    align: "right",
  },
  { title: "CLAIMABLE (POOL)", of: (fees) => solToLamports(fees.lpClaimableFees), align: "right" },
  {
    title: "CLAIMED",
    of: (fees) => solToLamports(fees.dbcClaimedFees) + solToLamports(fees.lpClaimedFees),
    align: "right",
    dropFirst: 2,
  },
  {
    title: "EARNED",
    of: (fees) => solToLamports(fees.dbcTotalFees) + solToLamports(fees.lpTotalFees),
    align: "right",
    dropFirst: 3,
  },
];

/** Lists what the wallet's tokens have earned, and warns of fees that cannot be read or changed elsewhere. */
export async function fees(context: Context): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Reading the fees");
  const data = await client.claims({ received: true, signal });
  const { claims, unreadable = [] } = data;
  for (const { ticker, tokenMint, error } of unreadable) {
    notices.warn(`The fees of ${ticker} (${tokenMint}) cannot be read: ${error}`);
  }
  for (const claim of claims) {
    for (const text of changesOutside(claim)) notices.warn(`${claim.ticker}: ${text}`);
  }
  if (claims.length > 0) return { data, view: { table: rowsOf(claims, FEES, { total: true }) } };
  const none = data.unreadable ? "No fees can be read." : "This wallet has no tokens yet.";
  return { data, view: [none] };
}

/** @returns what changed on chain without the service */
function changesOutside({ claimedElsewhere, creatorChanged }: ClaimRecord): string[] {
  const { dbcHolder, lpHolder } = creatorChanged ?? {};
  const holder = lpHolder ?? "the holder of the position that this wallet had";
  const texts = [
    dbcHolder !== undefined && `the fees of the bonding curve now belong to ${dbcHolder}`,
    lpHolder !== undefined && `the fees of the liquidity pool now belong to ${holder}`,
    claimedElsewhere !== undefined &&
      `${solText(claimedElsewhere)} was claimed without this service`,
  ];
  return texts.filter((text) => text !== false);
}

/** Amounts are SOL in plain digits. */
interface ClaimFlags {
  readonly maxTotalFeeSol: string;
  readonly sandbox?: boolean;
  readonly minSol?: string;
  readonly concurrency?: number;
  readonly yes?: boolean;
  readonly to?: readonly string[];
  readonly force?: boolean;
}

export async function claim(
  context: Context,
  token: string | undefined,
  flags: ClaimFlags,
): Promise<Result> {
  if (token === undefined) return claimAll(context, flags);
  const { notices, signal } = context;
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const paying = payingFor(context, client.address, flags);
  const tokenMint = await resolveMint(client, token, signal);
  const network = await enterNetwork(context, client);
  notices.progress("Claiming");
  const { success: _, ...result } = await orInterrupted(
    client.claim(tokenMint, { signal, ...paying }),
    "The claim may still land: `tokenctl fees` shows what is left",
  );
  const { receivers, ...receipt } = result;
  const { claimedSOL, gainedSOL, transactionHash } = receipt;
  // The gain is below zero if fees and rent exceed what the claim paid.
  const gained =
    gainedSOL !== undefined &&
    `${gainedSOL < 0 ? "-" : ""}${solText(Math.abs(gainedSOL))} after fees and rent, verified`;
  const fields = [
    ["Claimed", solToLamports(claimedSOL)],
    ...payoutLines(receivers).map((line) => ["Paid", line] as const),
    ["Gained", gained || undefined],
    ["Mint", tokenMint],
    ["Transaction", transactionHash],
  ] as const;
  const next = afterClaims(network, [transactionHash]);
  const data = { tokenMint, ...receipt, receivers: payoutsOnWire(receivers) };
  return { data, view: { fields }, next };
}

/** @returns who gets the fees, and what asks before each signature and shows what each gets */
function payingFor({ settings, notices }: Context, wallet: string, flags: ClaimFlags) {
  const to = chooseReceivers(settings, wallet, flags.to);
  const budget = new ClaimBudget(parseSol(flags.maxTotalFeeSol));
  const why = flags.to === undefined ? " (the payout of the profile)" : "";
  const approve = (cost: ClaimCost) => {
    budget.spend(cost);
    for (const line of payoutLines(cost.receivers)) notices.notice(`Pays ${line}${why}`);
  };
  return { to, force: flags.force, approve };
}

async function claimAll(context: Context, flags: ClaimFlags): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const paying = payingFor(context, client.address, flags);
  const { to } = paying;
  notices.progress("Reading the fees");
  const network = await enterNetwork(context, client);
  const cost = `for at most ${flags.maxTotalFeeSol} SOL in network fees and rent`;
  const where = to ? ` to ${namesOf(to)}` : "";
  const action = `Claim the fees of all tokens of ${client.address}${where}, ${cost},`;
  await confirm(context, action, { network, isAgreed: flags.yes });
  const { outcomes, claimedSOL } = await client.claimAll({
    ...{ signal, ...paying },
    minLamports: flags.minSol === undefined ? 1n : parseSol(flags.minSol),
    concurrency: flags.concurrency,
    onClaim: ({ ticker }, number, count) =>
      notices.progress(`Claiming ${ticker} (${number} of ${count})`),
    // The budget is used up.
    stopAt: (error) => error instanceof CliError,
  });
  const data = dataOf(outcomes, claimedSOL);
  for (const { ticker, tokenMint, error } of data.unreadable ?? []) {
    notices.warn(`Skipped ${ticker} (${tokenMint}): its fees cannot be read: ${error}`);
  }
  const hashes = data.claims.flatMap(({ transactionHash }) => transactionHash ?? []);
  return {
    data,
    view: viewOf(data),
    next: afterClaims(network, hashes),
    failure: failureOf(outcomes),
  };
}

interface TriedClaim
  extends TokenOfClaim,
    Pick<ClaimResult, "claimedSOL" | "verified" | "gainedSOL"> {
  readonly transactionHash: string | null;
  /** What each receiver got of the transaction, for all of its tokens; absent if the wallet got all. */
  readonly receivers?: ReturnType<typeof payoutsOnWire>;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
}

type ClaimAllData = ReturnType<typeof dataOf>;

/** @returns the claims that were tried, and the tokens without a claim */
function dataOf(outcomes: readonly ClaimOutcome[], claimedSOL: number) {
  const claims: TriedClaim[] = [];
  const skipped: (TokenOfClaim & { reason: ClaimOutcome["kind"]; claimableSOL: number })[] = [];
  const unreadable: UnreadableClaim[] = [];
  for (const outcome of outcomes) {
    const { kind, tokenMint, ticker } = outcome;
    if (kind === "claimed") {
      const { kind: _, receivers, ...receipt } = outcome;
      const paid = payoutsOnWire(receivers);
      claims.push({ ...receipt, ...(paid && { receivers: paid }), error: null });
    } else if (kind === "failed") {
      const { error } = explainError(outcome.error);
      claims.push({ tokenMint, ticker, claimedSOL: 0, transactionHash: null, error });
    } else if (kind === "unreadable") {
      unreadable.push({ tokenMint, ticker, error: outcome.reason });
    } else {
      const claimableSOL = kind === "nothing_to_claim" ? 0 : outcome.claimableSOL;
      skipped.push({ tokenMint, ticker, reason: kind, claimableSOL });
    }
  }
  const notRead = unreadable.length > 0 ? unreadable : undefined;
  return { claims, claimedSOL, skipped, unreadable: notRead };
}

const CLAIMS: readonly ColumnOf<TriedClaim>[] = [
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "MINT", of: ({ tokenMint }) => tokenMint, shorten: "middle", dropFirst: 1 },
  {
    title: "CLAIMED",
    of: ({ error, claimedSOL }) => (error === null ? solToLamports(claimedSOL) : null),
    align: "right",
  },
  {
    title: "TRANSACTION",
    of: ({ transactionHash, error }) =>
      transactionHash ?? { text: `failed: ${error}`, colour: "red", shorten: "end" },
    shorten: "middle",
  },
];

function viewOf({ claims, skipped, unreadable }: ClaimAllData): Result["view"] {
  const small = skipped.filter(({ reason }) => reason === "below_minimum");
  const left = small.map(({ ticker, claimableSOL }) => `${ticker} (${solText(claimableSOL)})`);
  const after = left.length > 0 ? [`Skipped, below the minimum: ${left.join(", ")}`] : [];
  // The claims of one transaction have the same receivers.
  const paid = new Map(
    claims.map(({ transactionHash, receivers }) => [transactionHash, receivers]),
  );
  after.push(...sumsOf([...paid.values()].flatMap((receivers) => receivers ?? [])));
  if (claims.length > 0) return { table: rowsOf(claims, CLAIMS, { total: true }), after };
  if (left.length > 0) return ["Nothing claimed: every token has less than --min-sol.", ...after];
  const tokens = unreadable ? "tokens that can be read" : "tokens";
  return [`Nothing to claim: none of this wallet's ${tokens} has fees.`];
}

/** @returns a line for each wallet that was paid */
function sumsOf(paid: readonly PaidReceiver[]): string[] {
  const sums = new Map<string, bigint>();
  for (const { address, paidLamports } of paid) {
    sums.set(address, (sums.get(address) ?? 0n) + BigInt(paidLamports));
  }
  const payouts = Array.from(sums, ([address, lamports]) => ({ address, lamports }));
  return payoutLines(payouts).map((line) => `Paid ${line}`);
}

/** After one of these no further claim is safe. */
const UNSAFE: readonly string[] = [BUDGET_EXHAUSTED, "receipt_mismatch"];
const RETURN_LATER = "When `tokenctl health` says ok, run it again for the rest";

/** Whether the server did not answer: every further claim would wait just as long. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof ClaimUnsettledError) return isUnreachable(error.cause);
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

/** @returns an error with the exit code of all failures, or of plain failure if they differ */
function failureOf(outcomes: readonly ClaimOutcome[]): CliError | undefined {
  const failures = outcomes.flatMap((outcome) => {
    if (outcome.kind !== "failed") return [];
    const isAway = isUnreachable(outcome.error);
    const why = explainError(outcome.error);
    const endsAll = isAway || UNSAFE.includes(why.code);
    return [{ ...why, ticker: outcome.ticker, hint: isAway ? RETURN_LATER : why.hint, endsAll }];
  });
  const last = failures.at(-1);
  if (last === undefined) return undefined;
  const left = outcomes.filter(({ kind }) => kind === "not_tried").length;
  const claimed = outcomes.filter(({ kind }) => kind === "claimed").length;
  const end = failures.find(({ endsAll }) => endsAll);
  if (end) {
    const rest = left > 0 ? `. ${left} more left` : "";
    return new CliError(end.code, `Stopped at ${end.ticker}: ${end.error}${rest}`, end);
  }
  const has = (code: Explanation["exitCode"]) => failures.filter((one) => one.exitCode === code);
  if (has(exitCodes.interrupted).length > 0) {
    return new CliError("aborted", "Interrupted; a claim in progress may still land", {
      hint: "Run it again for the rest; `tokenctl fees` shows what is left",
      exitCode: exitCodes.interrupted,
    });
  }
  const isShared = has(last.exitCode).length === failures.length;
  const message = `${failures.length} of ${failures.length + claimed + left} claims failed`;
  return new CliError("claims_failed", message, {
    hint: `${last.hint ?? "See the reasons above"}. Run it again for the rest`,
    exitCode: isShared ? last.exitCode : exitCodes.failed,
  });
}
