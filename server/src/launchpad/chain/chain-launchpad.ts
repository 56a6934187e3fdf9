import { waitAtMost } from "../../base/clock.ts";
import type { ClusterPace } from "../../domain/cluster-pace.ts";
import type { LaunchJournal } from "../../domain/journal.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { OwnedToken, TokenRef } from "../../domain/token.ts";
import { readTip } from "../../solana/outcome.ts";
import type { MigrationProgram } from "../pool-program.ts";
import { BEHIND, problemText, withRpcErrors } from "./cluster.ts";
import { type ChainContext, hasWallet } from "./context.ts";
import { deployLaunch, measureLaunch } from "./deploy-launch.ts";
import { readBalances, readLaunchState } from "./launch-state.ts";
import { poolKeeper } from "./migrate-pool.ts";

export type Launchpad = ReturnType<typeof chainLaunchpad>;

/**
 * Does everything on a chain except what agents sign (`signing.ts`); a {@link PoolProgram} holds
 * what differs between chains. Calls throw {@link ChainUnavailableError} if no usable answer comes.
 */
export function chainLaunchpad(chain: ChainContext, migrations: MigrationProgram | null = null) {
  return {
    deploy: (order: LaunchOrder, journal: LaunchJournal, signal: AbortSignal) =>
      deployLaunch(chain, order, { journal, signal }),

    readFees: (agent: string, tokens: readonly TokenRef[]) =>
      withRpcErrors(() => chain.program.readFees(agent, tokens)),
    readPools: (tokens: readonly OwnedToken[]) =>
      withRpcErrors(() => chain.program.readPools(tokens)),

    /** Reads the lamports of at most 100 wallets in one request; 0 for a missing account. */
    readBalances: (wallets: readonly string[]) => readBalances(chain, wallets),

    /** Checks that the chain is up to date and the launch wallet can pay. Never throws. */
    async probe() {
      const result = await probe(chain);
      // The next probe tries again.
      if (result.ok) await waitAtMost(PROBE_TIMEOUT_MS, measureLaunch(chain), chain.clock);
      return result;
    },

    /** Migrates complete curves, paid by the launch wallet; null if there are none to migrate. */
    keeper: migrations && hasWallet(chain) ? poolKeeper(chain, migrations) : null,
  };
}

export interface ChainProbe {
  readonly ok: boolean;
  /** What is wrong and what to do; null if nothing is wrong. Contains no URL. */
  readonly problem: string | null;
  /** What is wrong while launches and claims work, such as nodes that are left out; no URL. */
  readonly warning?: string | null;
  /** Since when the chain lands nothing, in milliseconds since the Unix epoch. */
  readonly stalledSince?: number | null;
  /** The chain's time per block and rent; absent if they could not be read. */
  readonly pace?: ClusterPace;
  /** The launch wallet's balance; null if it could not be read, or there is none. */
  readonly walletLamports: bigint | null;
  /** How many launches the balance pays for; null if unknown, or if launches cost nothing. */
  readonly walletLaunches?: number | null;
}

const GENESIS_WAIT_MS = 2_000;

export const PROBE_TIMEOUT_MS = 2_400;

/** Probes the chain. The time-out is per request, so a slow node does not count as hanging. */
async function probe(chain: ChainContext): Promise<ChainProbe> {
  const { cluster } = chain;
  const verified = cluster?.verify() ?? Promise.resolve();
  // If the node is silent, this rejects after the probe has returned.
  verified.catch(() => {});
  const answer = cluster?.problem == null ? await probeNodes(chain) : null;
  if (answer?.ok) await waitAtMost(GENESIS_WAIT_MS, verified, chain.clock);
  const problem = cluster?.problem ?? null;
  if (answer === null || problem !== null) return { ok: false, problem, walletLamports: null };
  if (!answer.ok || cluster === null || cluster.isKnown) return answer;
  return { ...answer, ok: false, problem: "The Solana RPC does not say which cluster it is" };
}

async function probeNodes(chain: ChainContext): Promise<ChainProbe> {
  const read = await probeChain(chain);
  const { walletLamports } = read;
  const walletLaunches = walletLamports === null ? null : chain.guard.launchesOf(walletLamports);
  const result = { ...read, walletLaunches };
  const nodes = chain.rpcNodes?.describeProblems() ?? null;
  if (result.problem === null) {
    const warning = [result.warning ?? null, nodes].filter((text) => text !== null).join("; ");
    return warning === "" ? result : { ...result, warning };
  }
  return nodes === null ? result : { ...result, problem: `${result.problem} (${nodes})` };
}

async function probeChain(chain: ChainContext): Promise<ChainProbe> {
  let walletLamports: bigint | null = null;
  try {
    const [state, healthy] = await Promise.all([
      readLaunchState({ ...chain, connection: chain.probeConnection }, []),
      withRpcErrors(() => chain.health.get()),
      withRpcErrors(() =>
        chain.pace.measure(async () => (await readTip(chain.probeConnection)).blockHeight),
      ),
    ]);
    walletLamports = chain.wallet && state.walletLamports;
    const stalledSince = await withRpcErrors(() => chain.landing.check(state.slot));
    const { isMeasured, msPerBlock } = chain.pace;
    const pace = { msPerBlock: isMeasured ? msPerBlock : null, rentPerByte: state.rentPerByte };
    const isBehind = chain.stalledNode?.isStalledAt(state.slot) ?? false;
    if (stalledSince !== null && healthy) {
      const problem = `Nothing has landed on the chain since ${new Date(stalledSince).toISOString()}. Launches and claims wait, and continue when it is over`;
      return { ok: false, problem, stalledSince, pace, walletLamports };
    }
    if (!healthy || isBehind) return { ok: false, problem: BEHIND, pace, walletLamports };
    const ofWallet = await walletProblem(chain, state.walletLamports);
    // An unknown cluster gets no transaction, not even one without effect.
    const isTried = chain.cluster?.isKnown !== false;
    const [faults, ofProgram] = await Promise.all([
      isTried ? chain.methods.get() : [],
      chain.problem.get(),
    ]);
    const isOnlyPayer = chain.payers.join() === "operator";
    const fatal = faults.find(({ isRequired }) => isRequired)?.text ?? null;
    const problem = (isOnlyPayer ? ofWallet : null) ?? fatal ?? ofProgram;
    const goesOn = isOnlyPayer ? null : ofWallet && `${ofWallet}. What agents pay for continues`;
    const lesser = faults.flatMap(({ isRequired, text }) => (isRequired ? [] : text));
    const warning = [goesOn, ...lesser].filter((text) => text !== null).join("; ");
    return { ok: problem === null, problem, ...(warning && { warning }), pace, walletLamports };
  } catch (error) {
    return { ok: false, problem: problemText(error), walletLamports };
  }
}

/** Reports a signer that hangs as soon as a node that hangs. */
async function walletProblem(
  { wallet, guard, clock }: ChainContext,
  walletLamports: bigint,
): Promise<string | null> {
  if (wallet === null) return null;
  let problem: string | null = "the launch signer does not answer";
  const asked = wallet.check().then((answer) => {
    problem = answer;
  });
  await waitAtMost(PROBE_TIMEOUT_MS, asked, clock);
  return problem ?? guard.findProblem(walletLamports);
}
