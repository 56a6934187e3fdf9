import type { ClaimOutcome, ClaimRecord, ClaimResult, UnreadableClaim } from "@tokenctl/sdk";
import { ClaimUnsettledError, ConnectionError, TimeoutError } from "@tokenctl/sdk";
import { parseSol } from "@tokenctl/shared/sol";
import { solText, toLamports } from "../amount.ts";
import { connect, orInterrupted } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { CliError, exitCodes } from "../errors.ts";
import { type Explanation, explain } from "../explain.ts";
import { confirm, enterNetwork } from "../network.ts";
import { afterClaims } from "../next-steps.ts";
import { resolveMint } from "../resolve-token.ts";
import { type ColumnOf, rowsOf } from "../table.ts";
import { venue } from "../text.ts";
import { BUDGET_EXHAUSTED, ClaimBudget } from "./claim-budget.ts";

const FEES: readonly ColumnOf<ClaimRecord>[] = [
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "MINT", of: ({ tokenMint }) => tokenMint, shorten: "middle", dropFirst: 4 },
  { title: "TRADES ON", of: venue, dropFirst: 1 },
  { title: "CLAIMABLE (CURVE)", of: (fees) => toLamports(fees.dbcClaimableFees), align: "right" },
  { title: "CLAIMABLE (POOL)", of: (fees) => toLamports(fees.lpClaimableFees), align: "right" },
  {
    title: "CLAIMED",
    of: (fees) => toLamports(fees.dbcClaimedFees) + toLamports(fees.lpClaimedFees),
    align: "right",
    dropFirst: 2,
  },
  {
    title: "EARNED",
    of: (fees) => toLamports(fees.dbcTotalFees) + toLamports(fees.lpTotalFees),
    align: "right",
    dropFirst: 3,
  },
];

/** Lists what the wallet's tokens have earned and what can be claimed. Warns of what cannot be read, and of what changed elsewhere. */
export async function fees(context: Context): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Asking for the fees");
  const data = await client.claims({ signal });
  const { claims, unreadable = [] } = data;
  for (const { ticker, tokenMint, error } of unreadable) {
    notices.warn(`The fees of ${ticker} (${tokenMint}) cannot be read: ${error}`);
  }
  for (const claim of claims) {
    for (const text of changesOutside(claim)) notices.warn(`${claim.ticker}: ${text}`);
  }
  if (claims.length > 0) return { data, view: { table: rowsOf(claims, FEES, { total: true }) } };
  const none = data.unreadable
    ? "No fees can be read."
    : "This wallet has no tokens yet, and so no fees.";
  return { data, view: [none] };
}

/** @returns what the wallet changed on chain without the service, as sentences */
function changesOutside({ claimedElsewhere, creatorChanged }: ClaimRecord): string[] {
  const { dbcHolder, lpHolder } = creatorChanged ?? {};
  const holder = lpHolder ?? "the holder of the position that this wallet had";
  return [
    ...(dbcHolder === undefined
      ? []
      : [`the fees of the bonding curve belong to ${dbcHolder} now`]),
    ...(lpHolder === undefined ? [] : [`the fees of the liquidity pool belong to ${holder}`]),
    ...(claimedElsewhere === undefined
      ? []
      : [`${solText(claimedElsewhere)} was claimed without this service`]),
  ];
}

/** The flags of `claim`. */
interface ClaimFlags {
  /** SOL in plain digits. */
  readonly maxTotalFeeSol: string;
  readonly sandbox?: boolean;
  /** SOL in plain digits. */
  readonly minSol?: string;
  readonly concurrency?: number;
  readonly yes?: boolean;
}

/**
 * Claims all fees of one token, or of all tokens.
 *
 * @param token its mint or its ticker; undefined for all
 */
export async function claim(
  context: Context,
  token: string | undefined,
  flags: ClaimFlags,
): Promise<Result> {
  if (token === undefined) return claimAll(context, flags);
  const { notices, signal } = context;
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const tokenMint = await resolveMint(client, token, signal);
  const network = await enterNetwork(context, client);
  const budget = new ClaimBudget(parseSol(flags.maxTotalFeeSol));
  notices.progress("Claiming");
  const { success: _, ...receipt } = await orInterrupted(
    client.claim(tokenMint, { signal, approve: (cost) => budget.spend(cost) }),
    "The claim may still land: `tokenctl fees` shows what is left",
  );
  const { claimedSOL, gainedSOL, transactionHash } = receipt;
  // Fees and rent can exceed what a claim paid: then the gain is below zero.
  const gained =
    gainedSOL !== undefined &&
    `${gainedSOL < 0 ? "-" : ""}${solText(Math.abs(gainedSOL))} after fees and rent, verified`;
  const fields = [
    ["Claimed", toLamports(claimedSOL)],
    ["Gained", gained || undefined],
    ["Mint", tokenMint],
    ["Transaction", transactionHash],
  ] as const;
  const next = afterClaims(network, [transactionHash]);
  return { data: { tokenMint, ...receipt }, view: { fields }, next };
}

/**
 * Claims all fees of all tokens: as many as fit with each transaction, and one after another if that
 * fails. After most failures it goes on with the next token; the result lists every claim that it
 * tried, and every token that it left.
 */
async function claimAll(context: Context, flags: ClaimFlags): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const budget = new ClaimBudget(parseSol(flags.maxTotalFeeSol));
  notices.progress("Looking for fees to claim");
  const network = await enterNetwork(context, client);
  const cost = `for at most ${flags.maxTotalFeeSol} SOL in network fees and rent`;
  const action = `Claim the fees of all tokens of ${client.address}, ${cost},`;
  await confirm(context, action, { network, isAgreed: flags.yes });
  const { outcomes, claimedSOL } = await client.claimAll({
    signal,
    approve: (cost) => budget.spend(cost),
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

interface TokenName {
  readonly tokenMint: string;
  readonly ticker: string;
}

/** The result of one token's claim. */
interface TriedClaim extends TokenName, Pick<ClaimResult, "verified" | "gainedSOL"> {
  /** 0 if it failed. */
  readonly claimedSOL: number;
  readonly transactionHash: string | null;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
}

/** A token without a claim: it has no fees, less than the minimum, or an earlier failure ended all. */
interface SkippedToken extends TokenName {
  readonly reason: "nothing_to_claim" | "below_minimum" | "not_tried";
  readonly claimableSOL: number;
}

/** The result of `claim --all`. */
interface ClaimAllData {
  /** The claims that were tried. */
  readonly claims: readonly TriedClaim[];
  readonly claimedSOL: number;
  /** The tokens for which no claim was made. */
  readonly skipped: readonly SkippedToken[];
  /** The tokens that were skipped because the server cannot read their fees. */
  readonly unreadable?: readonly UnreadableClaim[];
}

function dataOf(outcomes: readonly ClaimOutcome[], claimedSOL: number): ClaimAllData {
  const claims: TriedClaim[] = [];
  const skipped: SkippedToken[] = [];
  const unreadable: UnreadableClaim[] = [];
  for (const outcome of outcomes) {
    const { kind, tokenMint, ticker } = outcome;
    if (kind === "claimed") {
      const { kind: _, ...receipt } = outcome;
      claims.push({ ...receipt, error: null });
    } else if (kind === "failed") {
      const { error } = explain(outcome.error);
      claims.push({ tokenMint, ticker, claimedSOL: 0, transactionHash: null, error });
    } else if (kind === "unreadable") {
      unreadable.push({ tokenMint, ticker, error: outcome.reason });
    } else {
      const claimableSOL = kind === "nothing_to_claim" ? 0 : outcome.claimableSOL;
      skipped.push({ tokenMint, ticker, reason: kind, claimableSOL });
    }
  }
  return { claims, claimedSOL, skipped, ...(unreadable.length > 0 && { unreadable }) };
}

const CLAIMS: readonly ColumnOf<TriedClaim>[] = [
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "MINT", of: ({ tokenMint }) => tokenMint, shorten: "middle", dropFirst: 1 },
  {
    title: "CLAIMED",
    of: ({ error, claimedSOL }) => (error === null ? toLamports(claimedSOL) : null),
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
  const after = left.length > 0 ? [`Left, less than the minimum: ${left.join(", ")}`] : [];
  if (claims.length > 0) return { table: rowsOf(claims, CLAIMS, { total: true }), after };
  if (left.length > 0) return ["Nothing claimed: --min-sol left every token with fees.", ...after];
  const tokens = unreadable ? "tokens that can be read" : "tokens";
  return [`Nothing to claim: none of this wallet's ${tokens} has fees.`];
}

/** After one of these no further claim is safe. */
const UNSAFE: readonly string[] = [BUDGET_EXHAUSTED, "receipt_mismatch"];
const RETURN_LATER = "Once `tokenctl health` says ok, run it again for the rest";

/** Whether the server did not answer: every further claim would wait for it as long. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof ClaimUnsettledError) return isUnreachable(error.cause);
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

/** @returns an error with the failures' exit code if they share one, otherwise with plain failure */
function failureOf(outcomes: readonly ClaimOutcome[]): CliError | undefined {
  const failures = outcomes.flatMap((outcome) => {
    if (outcome.kind !== "failed") return [];
    const isAway = isUnreachable(outcome.error);
    const why = explain(outcome.error);
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
    return new CliError("aborted", "Interrupted; a claim that was under way may still land", {
      hint: "Run it again for the rest; `tokenctl fees` shows what is left",
      exitCode: exitCodes.interrupted,
    });
  }
  const isShared = has(last.exitCode).length === failures.length;
  return new CliError(
    "claims_failed",
    `${failures.length} of ${failures.length + claimed + left} claims failed`,
    {
      hint: `${last.hint ?? "See the reasons above"}. Run it again for the rest`,
      exitCode: isShared ? last.exitCode : exitCodes.failed,
    },
  );
}
