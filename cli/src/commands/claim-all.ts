import type { ClaimOutcome } from "@tokenctl/sdk";
import { ClaimUnsettledError, ConnectionError, TimeoutError } from "@tokenctl/sdk";
import { parseSol } from "@tokenctl/shared/sol";
import { confirm } from "../confirm.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodes } from "../exit.ts";
import { explain } from "../explain.ts";
import { enterNetwork } from "../network.ts";
import { afterClaims } from "../next-steps.ts";
import type { ClaimAllData, Result, SkippedToken, TriedClaim } from "../result.ts";
import type { ClaimFlags } from "./claim.ts";
import { BUDGET_EXHAUSTED, ClaimBudget } from "./claim-budget.ts";

/** The flags of `claim --all`. */
export interface ClaimAllFlags extends ClaimFlags {
  /** SOL in plain digits. */
  readonly minSol?: string;
  readonly concurrency?: number;
  readonly yes?: boolean;
}

/** After one of these no further claim is safe. */
const unsafe: readonly string[] = [BUDGET_EXHAUSTED, "receipt_mismatch"];

/**
 * Claims all fees of all tokens: as many as fit with each transaction, and one after another if that
 * fails. After most failures it goes on with the next token; the result lists every claim that it
 * tried, and every token that it left.
 */
export async function claimAll(context: Context, flags: ClaimAllFlags): Promise<Result> {
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const budget = new ClaimBudget(parseSol(flags.maxTotalFeeSol));
  context.notices.progress("Looking for fees to claim");
  const network = await enterNetwork(context, client);
  const cost = `for at most ${flags.maxTotalFeeSol} SOL in network fees and rent`;
  await confirm(context, `Claim the fees of all tokens of ${client.address}, ${cost},`, {
    network,
    isAgreed: flags.yes,
  });
  const { outcomes, claimedSOL } = await client.claimAll({
    signal: context.signal,
    approve: (cost) => budget.spend(cost),
    minLamports: flags.minSol === undefined ? 1n : parseSol(flags.minSol),
    concurrency: flags.concurrency,
    onClaim: ({ ticker }, number, count) =>
      context.notices.progress(`Claiming ${ticker} (${number} of ${count})`),
    // The budget is used up.
    stopAt: (error) => error instanceof CliError,
  });
  for (const outcome of outcomes) {
    if (outcome.kind !== "unreadable") continue;
    const { ticker, tokenMint, reason } = outcome;
    context.notices.warn(`Skipped ${ticker} (${tokenMint}): its fees cannot be read: ${reason}`);
  }
  const failures = outcomes.flatMap((outcome) =>
    outcome.kind === "failed" ? [toFailure(outcome)] : [],
  );
  const data = dataOf(outcomes, claimedSOL);
  return {
    kind: "claimAll",
    data,
    next: afterClaims(
      network,
      data.claims.flatMap(({ transactionHash }) => transactionHash ?? []),
    ),
    ...(failures.length > 0 && { failure: summary(failures, outcomes) }),
  };
}

function dataOf(outcomes: readonly ClaimOutcome[], claimedSOL: number): ClaimAllData {
  const claims: TriedClaim[] = [];
  const skipped: SkippedToken[] = [];
  const unreadable: NonNullable<ClaimAllData["unreadable"]> = [];
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

interface Failure {
  readonly ticker: string;
  readonly error: string;
  readonly hint: string | undefined;
  readonly code: string;
  readonly exitCode: ExitCode;
  /** Whether no further claim may be tried. */
  readonly endsAll: boolean;
}

const RETURN_LATER = "Once `tokenctl health` says ok, run it again for the rest";

function toFailure({
  ticker,
  error: cause,
}: Extract<ClaimOutcome, { readonly kind: "failed" }>): Failure {
  const { error, hint, code, exitCode } = explain(cause);
  const isAway = isUnreachable(cause);
  const endsAll = unsafe.includes(code) || isAway;
  return { ticker, error, hint: isAway ? RETURN_LATER : hint, code, exitCode, endsAll };
}

/** Whether the server did not answer: every further claim would wait for it as long, in vain. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof ClaimUnsettledError) return isUnreachable(error.cause);
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

/** @returns an error with the failures' exit code if they share one, otherwise with plain failure */
function summary(failures: readonly Failure[], outcomes: readonly ClaimOutcome[]): CliError {
  const left = outcomes.filter(({ kind }) => kind === "not_tried").length;
  const claimed = outcomes.filter(({ kind }) => kind === "claimed").length;
  const end = failures.find(({ endsAll }) => endsAll);
  if (end) {
    return new CliError(
      end.code,
      `Stopped at ${end.ticker}: ${end.error}${left > 0 ? `. ${left} more left` : ""}`,
      { ...(end.hint !== undefined && { hint: end.hint }), exitCode: end.exitCode },
    );
  }
  const last = failures.at(-1);
  const isInterrupted = failures.some(({ exitCode }) => exitCode === exitCodes.interrupted);
  const agreed = failures.every((failure) => failure.exitCode === last?.exitCode);
  const shared = last && agreed ? last.exitCode : exitCodes.failed;
  return new CliError(
    isInterrupted ? "aborted" : "claims_failed",
    isInterrupted
      ? "Interrupted; a claim that was under way may still land"
      : `${failures.length} of ${failures.length + claimed + left} claims failed`,
    {
      hint: isInterrupted
        ? "Run it again for the rest; `tokenctl fees` shows what is left"
        : `${last?.hint ?? "See the reasons above"}. Run it again for the rest`,
      exitCode: isInterrupted ? exitCodes.interrupted : shared,
    },
  );
}
