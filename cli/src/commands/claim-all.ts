import type { ClaimRecord, TokenctlClient } from "@tokenctl/sdk";
import { ClaimUnsettledError, ConnectionError, TimeoutError } from "@tokenctl/sdk";
import { lamportsToSol, parseSol } from "@tokenctl/shared/sol";
import { toLamports } from "../amount.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodes } from "../exit.ts";
import { explain } from "../explain.ts";
import type { ClaimOutcome, Result } from "../result.ts";
import type { ClaimFlags } from "./claim.ts";
import { BUDGET_EXHAUSTED, ClaimBudget } from "./claim-budget.ts";
import { claimTogether } from "./claim-together.ts";

/** After one of these every further claim would fail too. */
const hopeless: readonly ExitCode[] = [exitCodes.signInRefused, exitCodes.interrupted];
/** After one of these no further claim is safe. */
const unsafe: readonly string[] = [BUDGET_EXHAUSTED, "receipt_mismatch"];

/**
 * Claims all fees of all tokens: as many as fit with each transaction, and one after another if that
 * fails. After most failures of one token it goes on with the next; the result lists every claim
 * that it tried.
 */
export async function claimAll(context: Context, flags: ClaimFlags): Promise<Result> {
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const budget = new ClaimBudget(parseSol(flags.maxTotalFeeSol));
  context.notices.progress("Looking for fees to claim");
  const { claims, unreadable } = await client.claims({ signal: context.signal });
  for (const { ticker, tokenMint, error } of unreadable ?? []) {
    context.notices.warn(`Skipped ${ticker} (${tokenMint}): its fees cannot be read: ${error}`);
  }
  const claimable = claims.filter((claim) => claim.dbcClaimableFees + claim.lpClaimableFees > 0);
  const outcomes: ClaimOutcome[] = [];
  const failures: Failure[] = [];
  let left: readonly ClaimRecord[] = claimable;
  // An older server claims only one token at a time, and one that cannot be claimed stops the others.
  let together = true;
  for (let [claim] = left; claim; [claim] = left) {
    const done = claimable.length - left.length;
    context.notices.progress(`Claiming ${claim.ticker} (${done + 1} of ${claimable.length})`);
    try {
      if (together && left.length > 1) {
        const claimed = await claimTogether(client, left, budget, context.signal);
        outcomes.push(...claimed);
        left = left.filter(({ tokenMint }) => !claimed.some((one) => one.tokenMint === tokenMint));
        continue;
      }
      left = left.slice(1);
      outcomes.push(await claimOne(client, claim, budget, context.signal));
    } catch (cause) {
      const { error, hint, code, exitCode } = explain(cause);
      const endsAll = unsafe.includes(code) || isUnreachable(cause);
      if (together && left[0] === claim && !endsAll && !hopeless.includes(exitCode)) {
        together = false;
        continue;
      }
      const { tokenMint, ticker } = claim;
      outcomes.push({ tokenMint, ticker, claimedSOL: 0, transactionHash: null, error });
      failures.push({ hint: isUnreachable(cause) ? RETURN_LATER : hint, code, exitCode, endsAll });
      if (hopeless.includes(exitCode) || endsAll) break;
    }
  }
  return {
    kind: "claimAll",
    data: { claims: outcomes, claimedSOL: total(outcomes), ...(unreadable && { unreadable }) },
    ...(failures.length > 0 && { failure: summary(failures, outcomes, claimable.length) }),
  };
}

interface Failure {
  readonly hint: string | undefined;
  readonly code: string;
  readonly exitCode: ExitCode;
  /** Whether no further claim may be tried. */
  readonly endsAll: boolean;
}

const RETURN_LATER = "Once `tokenctl health` says ok, run it again for the rest";

/** Whether the server did not answer: every further claim would wait for it as long, in vain. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof ClaimUnsettledError) return isUnreachable(error.cause);
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

async function claimOne(
  client: TokenctlClient,
  { tokenMint, ticker }: ClaimRecord,
  budget: ClaimBudget,
  signal: AbortSignal,
): Promise<ClaimOutcome> {
  const approve = budget.spend.bind(budget);
  const { success, ...receipt } = await client.claim(tokenMint, { signal, approve });
  return { tokenMint, ticker, ...receipt, error: null };
}

function total(outcomes: readonly ClaimOutcome[]): number {
  const lamports = outcomes.map((outcome) => toLamports(outcome.claimedSOL));
  return lamportsToSol(lamports.reduce((sum, amount) => sum + amount, 0n));
}

/** @returns an error with the failures' exit code if they share one, otherwise with plain failure */
function summary(
  failures: readonly Failure[],
  outcomes: readonly ClaimOutcome[],
  claims: number,
): CliError {
  const last = failures.at(-1);
  if (last?.endsAll) {
    const left = claims - outcomes.length;
    return new CliError(
      last.code,
      `Stopped at ${outcomes.at(-1)?.ticker}: ${outcomes.at(-1)?.error}${left > 0 ? `. ${left} more left` : ""}`,
      { ...(last.hint !== undefined && { hint: last.hint }), exitCode: last.exitCode },
    );
  }
  const isInterrupted = last?.exitCode === exitCodes.interrupted;
  const agreed = failures.every((failure) => failure.exitCode === last?.exitCode);
  return new CliError(
    isInterrupted ? "aborted" : "claims_failed",
    isInterrupted
      ? "Interrupted; a claim that was under way may still land"
      : `${failures.length} of ${claims} claims failed`,
    {
      hint: isInterrupted
        ? "Run it again for the rest; `tokenctl fees` shows what is left"
        : `${last?.hint ?? "See the reasons above"}. Run it again for the rest`,
      exitCode: last && (agreed || isInterrupted) ? last.exitCode : exitCodes.failed,
    },
  );
}
