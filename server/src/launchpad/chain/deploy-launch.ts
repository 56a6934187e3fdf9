import { Keypair } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { nextTurn } from "../../base/next-turn.ts";
import { networkFeeOf } from "../../solana/network-fee.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import { customCode, describeError } from "../../solana/transaction-error.ts";
import type { AttemptJournal, LaunchAttempt, NewAttempt } from "../attempt-journal.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import type { DeployedToken, LaunchOrder, TokenRef } from "../launchpad.ts";
import type { LaunchInstructions } from "../pool-program.ts";
import { stopped } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { decideRefusal } from "./decide-refusal.ts";
import { readLaunchState } from "./launch-state.ts";
import { planOwn, signOwn, simulateOwn } from "./own-transaction.ts";
import { draftLaunch } from "./plan-launch.ts";
import { withProgramErrors } from "./rpc-errors.ts";
import { finishAttempt, sendLaunch } from "./send-launch.ts";

/** How often a first launch is measured again while other servers use the wallet. */
const MEASURED_AGAIN = 5;

/**
 * See `Launchpad.deploy`. Expensive work after an answer of the chain waits for the next turn of the
 * event loop: launches side by side get their answers together and would block the API.
 */
export async function deployLaunch(
  chain: ChainContext,
  order: LaunchOrder,
  journal: AttemptJournal,
  signal: AbortSignal,
): Promise<DeployedToken> {
  const { latest } = journal;
  const earlier = latest && (await finishAttempt(chain, latest, signal));
  if (latest && earlier) {
    if (earlier.kind === "landed") return landed(chain, latest);
    await chain.guard.settle(journal, spentBy(latest, earlier.kind));
  }

  const fresh = chain.program.addresses(order.eventId);
  // The latest attempt may have made its mint under another secret or config than the present one.
  const tokens = latest ? [latest, fresh] : [fresh];
  const costOf = chain.guard.startMeasuring();
  // Read at or after the slot in which the earlier attempt ended, so that a node which is behind
  // cannot hide its token.
  const agent = chain.minAgentLamports > 0n ? order.wallet : null;
  const state = await readLaunchState(chain, tokens, earlier?.slot, agent);
  await nextTurn();
  const { deployed, walletLamports } = state;
  if (deployed) return landed(chain, deployed);
  if (agent !== null) checkAgentFunds(chain, state.agentLamports);
  if (chain.guard.isUnderFloor(walletLamports)) throw chain.guard.shortageError(walletLamports);

  const draft = await draftLaunch(chain, order);
  await nextTurn();
  const { simulation } = draft;
  if (simulation.error !== null) {
    return landed(chain, await decideRefusal(chain, tokens, walletLamports, draft));
  }
  const plan = await planOwn(chain, draft, earlier?.kind === "expired");
  await nextTurn();
  if (signal.aborted) throw stopped();
  let simulated = costOf(walletLamports - simulation.payerLamports, simulation.slot === state.slot);
  for (let again = 0; chain.guard.isCostUncertain && again < MEASURED_AGAIN; again++) {
    simulated = (await measureAgain(chain, draft)) ?? simulated;
  }
  const takesNoMore = await chain.guard.reserve(journal, {
    wallet: state,
    lamports: simulated + plan.priorityLamports,
    readAgain: () => readLaunchState(chain, [], simulation.slot),
  });
  // What the launch took; null while that is not known, and if it landed: then what is set aside stays.
  let spent: bigint | null = 0n;
  try {
    const { terms, signers } = draft;
    const signed = await signOwn(chain, plan, "launch", signers);
    const attempt: NewAttempt = { ...fresh, ...signed, terms };
    await chain.crashPoint("launch.signed");
    spent = null;
    await journal.record(attempt);
    await chain.crashPoint("launch.stored");
    await nextTurn();
    const outcome = await sendLaunch(chain, attempt, walletLamports, signal);
    await nextTurn();
    if (outcome.kind !== "landed") spent = spentBy(attempt, outcome.kind);
    return await tokenOf(chain, tokens, attempt, outcome, earlier);
  } finally {
    takesNoMore();
    if (spent !== null) await chain.guard.settle(journal, spent);
  }
}

/** @throws {LaunchRefusedError} if the agent's wallet holds less than it must */
function checkAgentFunds({ minAgentLamports }: ChainContext, balance: bigint): void {
  if (balance >= minAgentLamports) return;
  throw new LaunchRefusedError(
    `The agent's wallet holds ${formatSol(balance)} SOL, and must hold ${formatSol(minAgentLamports)} SOL to launch`,
  );
}

/**
 * Measures what a launch costs, by the simulation of one that is never sent, unless that is known.
 *
 * @throws what the chain's reads throw
 */
export async function measureLaunch(chain: ChainContext): Promise<void> {
  const { guard, program } = chain;
  if (guard.dayBudget() === null || guard.isMeasured("launch")) return;
  const wallet = Keypair.generate().publicKey.toBase58();
  // The longest name and ticker.
  const names = { name: "0".repeat(32), ticker: "0".repeat(10) };
  const order = { eventId: crypto.randomUUID(), wallet, ...names };
  const launch = await withProgramErrors(() => program.launch(order));
  for (let time = 0; time < MEASURED_AGAIN && !guard.isMeasured("launch"); time++) {
    await measureAgain(chain, launch);
  }
}

/**
 * Reads the balance and simulates once more.
 *
 * @returns lamports that the launch costs; null if it would fail now
 */
async function measureAgain(
  chain: ChainContext,
  { instructions }: LaunchInstructions,
): Promise<bigint | null> {
  const costOf = chain.guard.startMeasuring();
  const { slot, walletLamports } = await readLaunchState(chain, []);
  const simulation = await simulateOwn(chain, instructions);
  if (simulation.error !== null) return null;
  return costOf(walletLamports - simulation.payerLamports, simulation.slot === slot);
}

/** @returns lamports that an attempt took, which created nothing */
function spentBy({ transaction }: LaunchAttempt, outcome: "failed" | "expired"): bigint {
  return outcome === "failed" ? networkFeeOf(transaction) : 0n;
}

async function landed(chain: ChainContext, { tokenMint, poolAddress }: TokenRef) {
  await chain.crashPoint("launch.landed");
  return { tokenMint, poolAddress };
}

/** @returns the token if the attempt's outcome is that there is one */
async function tokenOf(
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
  // It may have failed because another of our transactions had made the token already.
  const { deployed } = await readLaunchState(chain, tokens, outcome.slot);
  if (deployed) return landed(chain, deployed);
  const reason = describeError(outcome.error);
  if (isRepeated(outcome, earlier)) {
    throw new LaunchRefusedError(`The chain refused the launch (${reason})`, outcome.error);
  }
  // The next attempt's simulation decides.
  throw new ChainUnavailableError(
    `The launch's transaction failed on chain (${reason})`,
    outcome.error,
  );
}

/** `SystemError::ResultWithNegativeLamports` and its like: the wallet lacks lamports for now. */
const SHORTAGE_CODE = 1;

/**
 * Whether a program refused two attempts for the same reason, though their simulations passed. Each
 * attempt costs a fee, so there is no third.
 */
function isRepeated(outcome: TransactionOutcome, earlier: TransactionOutcome | null): boolean {
  if (outcome.kind !== "failed" || earlier?.kind !== "failed") return false;
  const code = customCode(outcome.error);
  return code !== null && code !== SHORTAGE_CODE && code === customCode(earlier.error);
}
