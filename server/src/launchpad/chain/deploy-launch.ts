import { formatSol } from "@tokenctl/shared/sol";
import { nextTurn } from "../../base/clock.ts";
import { generateKeypair } from "../../base/native-keys.ts";
import type { LaunchJournal } from "../../domain/journal.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { TokenRef } from "../../domain/token.ts";
import { isHealthy } from "../../solana/health.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import type { Simulation } from "../../solana/simulate.ts";
import { classifyError, describeError, programRefusal } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import type { LaunchInstructions, PoolProgram } from "../pool-program.ts";
import { BEHIND, withRpcErrors } from "./cluster.ts";
import { type ChainContext, hasWallet, type PayingContext } from "./context.ts";
import { readLaunchState } from "./launch-state.ts";
import {
  draftOwn,
  finish,
  planOwn,
  signOwn,
  simulateOwn,
  spentBy,
  stopped,
  withTip,
} from "./transaction.ts";
import { spend } from "./wallet-guard.ts";

/**
 * Puts a launch on chain. It is safe to call again after a crash or a failure: it first finds the
 * outcome of the attempt in the journal, and two of its transactions can never both land.
 *
 * Expensive work after an answer waits for the next turn of the event loop: parallel launches get
 * their answers together and would block the API.
 * @throws {LaunchRefusedError} if no retry can help; {@link LaunchWalletError} if the launch wallet
 * cannot pay now
 */
export async function deployLaunch(
  chain: ChainContext,
  order: LaunchOrder,
  running: Running,
): Promise<TokenRef> {
  const { tokenMint, poolAddress } = await findOrDeploy(chain, order, running);
  await chain.crashPoint?.("launch.landed");
  return { tokenMint, poolAddress };
}

interface Running {
  readonly journal: LaunchJournal;
  readonly signal: AbortSignal;
}

async function findOrDeploy(
  chain: ChainContext,
  order: LaunchOrder,
  { journal, signal }: Running,
): Promise<TokenRef> {
  const { guard, program } = chain;
  const { latest } = journal;
  const earlier = latest && (await finish(chain, latest, { purpose: "launch", signal }));
  if (latest && earlier) {
    if (earlier.kind === "landed") return latest;
    await journal.settle(await spentBy(chain, latest, { outcome: earlier.kind, signal }));
  }

  const fresh = program.addresses(order.eventId);
  // The latest attempt may have used another secret or config than the present one.
  const tokens = latest ? [latest, fresh] : [fresh];
  // Reads at or after the slot in which the earlier attempt ended: a node that is behind would not
  // show its token.
  const agent = chain.minAgentLamports > 0n ? order.wallet : null;
  const state = await readLaunchState(chain, tokens, { minContextSlot: earlier?.slot, agent });
  await nextTurn();
  const { deployed, walletLamports } = state;
  if (deployed) return deployed;
  if (!hasWallet(chain)) throw new LaunchRefusedError("This service no longer pays for launches");
  const { minAgentLamports } = chain;
  if (agent !== null && state.agentLamports < minAgentLamports) {
    throw new LaunchRefusedError(
      `The agent's wallet holds ${formatSol(state.agentLamports)} SOL, and must hold ${formatSol(minAgentLamports)} SOL to launch`,
    );
  }
  if (guard.isUnderFloor(walletLamports)) throw guard.shortageError(walletLamports);

  const terms = await withRpcErrors(() => program.terms());
  const launch = await withRpcErrors(() => program.launch(order));
  // This request shows refusals before anything is signed, and returns the launch's compute units,
  // its cost and a blockhash.
  const draft = await draftOwn(chain, launch);
  const { simulation } = draft;
  await nextTurn();
  if (simulation.error !== null) {
    if (classifyError(simulation.error, simulation.logs) === "payer") {
      throw guard.shortageError(walletLamports, simulation.error);
    }
    return decideRefusal(chain, tokens, { ...launch, simulation });
  }
  const plan = await planOwn(chain, draft, earlier?.kind === "expired");
  await nextTurn();
  if (signal.aborted) throw stopped();
  const outcome = await spend(chain, {
    purpose: "launch",
    journal,
    signal,
    cost: {
      wallet: state,
      lamports: simulation.costLamports,
      priorityLamports: plan.priorityLamports,
      readAgain: () => readLaunchState(chain, [], { minContextSlot: simulation.slot }),
    },
    sign: async () => ({ ...fresh, ...(await signOwn(chain, plan, "launch")), terms }),
  });
  await nextTurn();
  if (outcome.kind === "landed") return fresh;
  return decideFailure(chain, tokens, { outcome, earlier });
}

export async function measureLaunch(chain: ChainContext): Promise<void> {
  const { guard, program } = chain;
  if (!hasWallet(chain) || guard.dayBudget() === null || guard.isMeasured) return;
  const launch = withTip(chain, await longestLaunch(program));
  const { error, costLamports } = await simulateOwn(chain, launch);
  if (error === null) guard.measured(costLamports);
}

async function longestLaunch(program: PoolProgram) {
  const wallet = generateKeypair().publicKey.toBase58();
  const longest = { name: "0".repeat(32), ticker: "0".repeat(10) };
  const order = { eventId: crypto.randomUUID(), wallet, ...longest };
  return (await withRpcErrors(() => program.launch(order))).instructions;
}

/**
 * Decides what a launch's failed simulation means. A refusal is final, so it first rules out every
 * other explanation: the token exists, the cluster is busy, the config is unusable, the node's state
 * is old, or every launch is refused, as after a program's upgrade. @returns the token, if it exists
 * @throws {LaunchRefusedError} only if no retry can help
 */
async function decideRefusal(
  chain: PayingContext,
  tokens: readonly TokenRef[],
  { instructions, simulation }: LaunchInstructions & { readonly simulation: Simulation },
): Promise<TokenRef> {
  const { error, logs, slot } = simulation;
  if (error === null) throw new Error("not a refusal");
  const reason = describeError(error, simulation.instructions);
  if (classifyError(error, logs) === "later") {
    throw new ChainUnavailableError(`The cluster cannot take the launch now (${reason})`, error);
  }
  const state = await readLaunchState(chain, tokens, { minContextSlot: slot });
  if (state.deployed) return state.deployed;
  const problem = await withRpcErrors(() => chain.program.checkConfig());
  if (problem !== null) throw new ChainUnavailableError(problem, error);
  if (!(await withRpcErrors(() => isHealthy(chain.connection)))) {
    throw new ChainUnavailableError(BEHIND, error);
  }
  const again = await simulateOwn(chain, instructions, state.slot);
  if (JSON.stringify(again.error) !== JSON.stringify(error)) {
    throw new ChainUnavailableError(
      `The chain gave different answers about the launch (${reason})`,
    );
  }
  const other = await simulateOwn(chain, await longestLaunch(chain.program), state.slot);
  const text = `The chain refused the launch (${reason})`;
  if (other.error === null) throw new LaunchRefusedError(text, { error, logs });
  throw new ChainUnavailableError(`${text}, and any other`, error, { isOutage: true });
}

type Failure = Exclude<TransactionOutcome, { readonly kind: "landed" }>;

/**
 * Decides what a launch's failed or expired transaction means. @returns the token, if it exists
 * @throws {LaunchRefusedError} if a program refused two attempts for the same reason; otherwise
 * {@link ChainUnavailableError}, and the next attempt's simulation decides
 */
async function decideFailure(
  chain: ChainContext,
  tokens: readonly TokenRef[],
  { outcome, earlier }: { readonly outcome: Failure; readonly earlier: TransactionOutcome | null },
): Promise<TokenRef> {
  if (outcome.kind === "expired") {
    throw new ChainUnavailableError("The launch's transaction expired before it landed");
  }
  // It may have failed because another transaction of this service had made the token.
  const { deployed } = await readLaunchState(chain, tokens, { minContextSlot: outcome.slot });
  if (deployed) return deployed;
  const { error } = outcome;
  const reason = describeError(error);
  const refusal = programRefusal(error);
  const before = earlier?.kind === "failed" ? programRefusal(earlier.error) : null;
  const isRepeated = refusal?.name === before?.name && refusal?.code === before?.code;
  // Both simulations passed, and each attempt costs a fee, so there is no third attempt.
  if (isRepeated && refusal !== null && refusal.code !== SHORTAGE_CODE) {
    throw new LaunchRefusedError(`The chain refused the launch (${reason})`, error);
  }
  throw new ChainUnavailableError(`The launch's transaction failed on chain (${reason})`, error);
}

/** `SystemError::ResultWithNegativeLamports` and similar: the wallet lacks lamports for now. */
const SHORTAGE_CODE = 1;
