import bs58 from "bs58";
import { ownTurn } from "../../base/next-turn.ts";
import { signTransaction } from "../../solana/native-keys.ts";
import type { Fate } from "../../solana/outcome.ts";
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
import { look } from "./launch-state.ts";
import { draftLaunch, type LaunchDraft, type LaunchPlan, planLaunch } from "./plan-launch.ts";
import { sendLaunch, settleAttempt } from "./send-launch.ts";
import { settleRefusal } from "./settle-refusal.ts";

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
  const earlier = latest && (await settleAttempt(chain, latest, signal));
  if (latest && earlier) chain.guard.settle(latest.signature, earlier.kind === "expired");
  if (latest && earlier?.kind === "landed") return landed(chain, latest);

  const fresh = chain.program.addresses(order.eventId);
  // A mint that is there was made by the latest attempt, under the config of that time.
  const tokens = latest ? [latest, fresh] : [fresh];
  const costOf = chain.guard.measure();
  // Looked at from beyond the earlier attempt's end, so that a node which is behind cannot hide it.
  const standing = await look(chain, tokens, earlier?.slot);
  await ownTurn();
  const { deployed, walletLamports } = standing;
  if (deployed) return landed(chain, deployed);
  if (chain.guard.isUnderFloor(walletLamports)) throw chain.guard.short(walletLamports);

  const draft = await draftLaunch(chain, order);
  await ownTurn();
  const { simulation } = draft;
  if (simulation.error !== null) {
    return landed(chain, await settleRefusal(chain, tokens, walletLamports, draft));
  }
  const plan = await planLaunch(chain, draft, earlier?.kind === "expired");
  await ownTurn();
  if (signal.aborted) throw stopped();
  const taken = costOf(
    walletLamports - simulation.payerLamports,
    simulation.slot === standing.slot,
  );
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
    await ownTurn();
    const fate = await sendLaunch(chain, attempt, walletLamports, signal);
    await ownTurn();
    chain.guard.settle(attempt.signature, false);
    if (fate.kind === "expired") spent = 0n;
    if (fate.kind === "failed") spent = networkFee(draft, plan);
    return await conclude(chain, tokens, attempt, fate, earlier);
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
  fate: Fate,
  earlier: Fate | null,
): Promise<DeployedToken> {
  if (fate.kind === "landed") return landed(chain, attempt);
  if (fate.kind === "expired") {
    throw new ChainUnavailableError("The launch's transaction expired before it landed");
  }
  // It may have failed because another of ours had made the token already.
  const { deployed } = await look(chain, tokens, fate.slot);
  if (deployed) return landed(chain, deployed);
  const reason = describeError(fate.error);
  if (isRepeated(fate, earlier)) {
    throw new LaunchRefusedError(`The chain refused the launch (${reason})`, fate.error);
  }
  // What the next simulation says, decides.
  throw new ChainUnavailableError(
    `The launch's transaction failed on chain (${reason})`,
    fate.error,
  );
}

/** `SystemError::ResultWithNegativeLamports` and its like: a wallet that is short for the moment. */
const SHORT_CODE = 1;

/**
 * Whether a program refused two attempts for the same reason, though their simulations passed. Each
 * costs a fee, so there is no third.
 */
function isRepeated(fate: Fate, earlier: Fate | null): boolean {
  if (fate.kind !== "failed" || earlier?.kind !== "failed") return false;
  const code = customCode(fate.error);
  return code !== null && code !== SHORT_CODE && code === customCode(earlier.error);
}
