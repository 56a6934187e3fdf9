import bs58 from "bs58";
import { signTransaction } from "../../base/native-keys.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import { LAMPORTS_PER_SIGNATURE } from "../../solana/priority-fee.ts";
import { customCode, describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import type {
  AttemptJournal,
  DeployedToken,
  LaunchAttempt,
  LaunchOrder,
  TokenRef,
} from "../launchpad.ts";
import { stopped } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { decideRefusal } from "./decide-refusal.ts";
import { readLaunchState } from "./launch-state.ts";
import { draftLaunch, type LaunchDraft, type LaunchPlan, planLaunch } from "./plan-launch.ts";
import { finishAttempt, sendLaunch } from "./send-launch.ts";

/**
 * See `Launchpad.deploy`. Wherever much work follows an answer of the chain, it is done in a turn of
 * its own: launches side by side keep step, and would together hold up the API.
 */
export async function deploy(
  chain: ChainContext,
  order: LaunchOrder,
  journal: AttemptJournal,
  signal: AbortSignal,
): Promise<DeployedToken> {
  const { latest } = journal;
  const earlier = latest && (await finishAttempt(chain, latest, signal));
  if (latest && earlier) chain.guard.closeAttempt(latest.signature, earlier.kind === "expired");
  if (latest && earlier?.kind === "landed") return landed(chain, latest);

  const fresh = chain.program.addresses(order.eventId);
  // A mint that is there was made by the latest attempt, under the config of that time.
  const tokens = latest ? [latest, fresh] : [fresh];
  const costOf = chain.guard.measure();
  // Looked at from beyond the earlier attempt's end, so that a node which is behind cannot hide it.
  const state = await readLaunchState(chain, tokens, earlier?.slot);
  await nextTurn();
  const { deployed, walletLamports } = state;
  if (deployed) return landed(chain, deployed);
  if (chain.guard.isUnderFloor(walletLamports)) throw chain.guard.short(walletLamports);

  const draft = await draftLaunch(chain, order);
  await nextTurn();
  const { simulation } = draft;
  if (simulation.error !== null) {
    return landed(chain, await decideRefusal(chain, tokens, walletLamports, draft));
  }
  const plan = await planLaunch(chain, draft, earlier?.kind === "expired");
  await nextTurn();
  if (signal.aborted) throw stopped();
  const taken = costOf(walletLamports - simulation.payerLamports, simulation.slot === state.slot);
  const cost = taken + plan.priorityLamports;
  const reservation = chain.guard.reserve(walletLamports, cost);
  let spent = 0n;
  try {
    const attempt = sign(chain, draft, plan, fresh);
    await chain.checkpoint("launch.signed");
    journal.record(attempt);
    spent = cost;
    reservation.keepFor(attempt.signature);
    await chain.checkpoint("launch.stored");
    await nextTurn();
    const outcome = await sendLaunch(chain, attempt, walletLamports, signal);
    await nextTurn();
    chain.guard.closeAttempt(attempt.signature, false);
    if (outcome.kind === "expired") spent = 0n;
    if (outcome.kind === "failed") spent = networkFee(draft, plan);
    return await conclude(chain, tokens, attempt, outcome, earlier);
  } finally {
    reservation.release(spent);
  }
}

async function landed(chain: ChainContext, { tokenMint, poolAddress }: TokenRef) {
  await chain.checkpoint("launch.landed");
  return { tokenMint, poolAddress };
}

function sign(
  chain: ChainContext,
  { signers }: LaunchDraft,
  { transaction, lastValidBlockHeight }: LaunchPlan,
  token: TokenRef,
): LaunchAttempt {
  signTransaction(transaction, [chain.wallet, ...signers]);
  const [signature] = transaction.signatures;
  if (!signature) throw new Error("a signed transaction has a signature");
  return {
    ...token,
    signature: bs58.encode(signature),
    transaction: transaction.serialize(),
    lastValidBlockHeight,
  };
}

function networkFee({ signers }: LaunchDraft, { priorityLamports }: LaunchPlan): bigint {
  return LAMPORTS_PER_SIGNATURE * BigInt(1 + signers.length) + priorityLamports;
}

async function conclude(
  chain: ChainContext,
  tokens: readonly TokenRef[],
  attempt: LaunchAttempt,
  outcome: TransactionOutcome,
  earlier: TransactionOutcome | null,
): Promise<DeployedToken> {
  if (outcome.kind === "landed") return landed(chain, attempt);
  if (outcome.kind === "expired") {
    throw new ChainUnavailableError("The launch's transaction expired before it landed");
  }
  // It may have failed because another of ours had made the token already.
  const { deployed } = await readLaunchState(chain, tokens, outcome.slot);
  if (deployed) return landed(chain, deployed);
  const reason = describeError(outcome.error);
  if (isRepeated(outcome, earlier)) {
    throw new LaunchRefusedError(`The chain refused the launch (${reason})`, outcome.error);
  }
  // What the next simulation says, decides.
  throw new ChainUnavailableError(
    `The launch's transaction failed on chain (${reason})`,
    outcome.error,
  );
}

/** `SystemError::ResultWithNegativeLamports` and its like: a wallet that is short for the moment. */
const SHORT_CODE = 1;

/**
 * Whether a program refused two attempts for the same reason, though their simulations passed. Each
 * costs a fee, so there is no third.
 */
function isRepeated(outcome: TransactionOutcome, earlier: TransactionOutcome | null): boolean {
  if (outcome.kind !== "failed" || earlier?.kind !== "failed") return false;
  const code = customCode(outcome.error);
  return code !== null && code !== SHORT_CODE && code === customCode(earlier.error);
}
