import { randomInt } from "node:crypto";
import type { Connection } from "@solana/web3.js";
import { waitAtMost } from "../../base/clock.ts";
import { BlockPace } from "../../solana/block-pace.ts";
import { isHealthy, type StalledNode } from "../../solana/health.ts";
import { LandingWatch } from "../../solana/landing-watch.ts";
import type { RpcNodes } from "../../solana/rpc-nodes.ts";
import { SharedRead } from "../../solana/shared-read.ts";
import type { Launchpad } from "../launchpad.ts";
import type { MigrationProgram, PoolKeeper, PoolProgram } from "../pool-program.ts";
import { buildClaim, cosignClaim } from "./build-claim.ts";
import { type ClusterIdentity, withProgramErrors } from "./cluster.ts";
import type { ChainContext } from "./context.ts";
import { deployLaunch, measureLaunch } from "./deploy-launch.ts";
import { readBalances } from "./launch-state.ts";
import { poolKeeper } from "./migrate-pool.ts";
import { PROBE_TIMEOUT_MS, probe } from "./probe.ts";
import { submitClaim } from "./submit-claim.ts";
import { finalOutcome, type OwnChainOptions, ownChain } from "./transaction.ts";
import { WalletGuard, type WalletLimits } from "./wallet-guard.ts";

export interface ChainLaunchpadOptions extends OwnChainOptions {
  /** The same with `PROBE_TIMEOUT_MS` as its time-out, for probes. Default: `connection`. */
  readonly probeConnection?: Connection;
  readonly program: PoolProgram;
  /** The program by which the next launch is made, if that may change. Default: `program`. */
  readonly launchProgram?: () => PoolProgram;
  /** Migrates complete curves; without it the launchpad has no keeper. */
  readonly migrations?: MigrationProgram;
  /** What launches may take from the wallet; null if its lamports are free. */
  readonly limits: WalletLimits | null;
  /** What an agent's wallet must hold when its launch is started. Default: nothing. */
  readonly minAgentLamports?: bigint;
  /** Whether other servers launch from the same wallet. Default: no. */
  readonly isShared?: boolean;
  /** Shared with whatever else follows the chain's pace; the probes feed it. Default: its own. */
  readonly pace?: BlockPace;
  /** Which cluster `connection` waits to know; probes report what is wrong with it. */
  readonly cluster?: ClusterIdentity;
  /** Several nodes behind the connections; a probe names those that are left out. */
  readonly rpcNodes?: Pick<RpcNodes, "describeProblems"> | null;
  /** Detects a stalled node; without it a stall is not detected. */
  readonly stalledNode?: StalledNode;
}

/** The port, and what the launch service asks about the day's limit. */
export interface ChainLaunchpad extends Launchpad {
  /** What launches may take in a day, and the next one takes as far as is known; null for no limit. */
  dayBudget: WalletGuard["dayBudget"];
  /** Migrates complete curves, paid by the launch wallet; null if there are none to migrate. */
  readonly keeper: PoolKeeper | null;
}

/** How long an answer of "healthy" is reused, in milliseconds: every second probe asks the node. */
const HEALTHY_FOR_MS = 4_000;

/** How long the program's state is reused, in milliseconds: while launches can work, and while not. */
const USABLE_FOR_MS = 60_000;
const UNUSABLE_FOR_MS = 5_000;

/** Claims are numbered modulo this. A claim's number adds to its compute units, so it stays small. */
const CLAIM_NUMBERS = 5_000;

/**
 * The launchpad of any chain that is reached through a connection. A launch costs five requests:
 * reading mint, wallet and rent, the simulation, recent fees (shared), reading wallet and rent again
 * before it is signed, and sending it. Confirmations cost
 * one request a tick for everything in flight.
 */
export function chainLaunchpad(options: ChainLaunchpadOptions): ChainLaunchpad {
  const chain = chainContext(options);
  const { launchProgram = () => options.program } = options;
  const measure = () => measureLaunch({ ...chain, program: launchProgram() });
  return {
    // One program for all steps of a launch.
    deploy: (order, journal, signal) =>
      deployLaunch({ ...chain, program: launchProgram() }, order, { journal, signal }),
    readFees: (agent, tokens) => withProgramErrors(() => chain.program.readFees(agent, tokens)),
    readPools: (tokens) => withProgramErrors(() => chain.program.readPools(tokens)),
    buildClaim: (agent, tokens, maySponsor) => buildClaim(chain, { agent, tokens }, maySponsor),
    cosignClaim: (claim) => cosignClaim(chain, claim),
    finalOutcome: (claim) => finalOutcome(chain, claim),
    submitClaim: (claim, journal, signal) => submitClaim(chain, claim, { journal, signal }),
    async probe() {
      const result = await probe(chain);
      // The next probe tries again.
      if (result.ok) await waitAtMost(PROBE_TIMEOUT_MS, measure());
      return result;
    },
    dayBudget: () => chain.guard.dayBudget(),
    readBalances: (wallets) => readBalances(chain, wallets),
    keeper: options.migrations ? poolKeeper(chain, options.migrations) : null,
  };
}

function chainContext(options: ChainLaunchpadOptions): ChainContext {
  const { wallet, program, clock, limits, isShared = false } = options;
  const { launchProgram = () => program, probeConnection = options.connection } = options;
  let claims = randomInt(CLAIM_NUMBERS);
  const landing = new LandingWatch(probeConnection, clock);
  const { pace = new BlockPace(clock) } = options;
  const msPerBlock = () => pace.msPerBlock;
  return {
    ...ownChain({ ...options, confirmer: { msPerBlock, ...options.confirmer, landing } }),
    probeConnection,
    program,
    landing,
    pace,
    clock,
    minAgentLamports: options.minAgentLamports ?? 0n,
    guard: new WalletGuard({ address: wallet.publicKey.toBase58(), limits, isShared, clock }),
    health: new SharedRead(
      () => isHealthy(probeConnection),
      (healthy) => (healthy ? HEALTHY_FOR_MS : 0),
      clock,
    ),
    problem: new SharedRead(
      () => withProgramErrors(() => launchProgram().checkConfig(probeConnection)),
      (problem) => (problem === null ? USABLE_FOR_MS : UNUSABLE_FOR_MS),
      clock,
    ),
    cluster: options.cluster ?? null,
    rpcNodes: options.rpcNodes ?? null,
    stalledNode: options.stalledNode ?? null,
    claimNumber: () => claims++ % CLAIM_NUMBERS,
  };
}
