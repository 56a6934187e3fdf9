import type { Connection } from "@solana/web3.js";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { SharedRead } from "../../base/cache.ts";
import { BlockPace } from "../../solana/cluster-pace.ts";
import { isHealthy, type StalledNode, tryMethods } from "../../solana/health.ts";
import { LandingWatch } from "../../solana/landing-watch.ts";
import type { RpcNodes } from "../../solana/rpc-nodes.ts";
import type { Tips } from "../../solana/senders.ts";
import type { WalletSigner } from "../../solana/wallet-signer.ts";
import type { PoolProgram } from "../pool-program.ts";
import { type ClusterIdentity, withRpcErrors } from "./cluster.ts";
import { type OwnContext, type SendOptions, sendingChain } from "./transaction.ts";
import { WalletGuard, type WalletLimits } from "./wallet-guard.ts";

export interface ChainLaunchpadOptions extends SendOptions {
  /** If null, agents pay for their launches, and nothing costs the operator. */
  readonly wallet: WalletSigner | null;
  readonly payers?: readonly LaunchPayer[];
  /** A connection for probes, whose time-out is `PROBE_TIMEOUT_MS`. Default: `connection`. */
  readonly probeConnection?: Connection;
  readonly program: PoolProgram;
  /** What launches may take from the wallet; null if its lamports are worth nothing. */
  readonly limits: WalletLimits | null;
  /** Lamports that an agent's wallet must hold when its launch starts. Default: 0. */
  readonly minAgentLamports?: bigint;
  /** The chain's pace, which the probes measure; it may be shared. Default: its own. */
  readonly pace?: BlockPace;
  /** Checks the cluster before `connection` sends; probes report its problem. */
  readonly cluster?: ClusterIdentity;
  /** The nodes behind the connections; a probe reports nodes that are left out. */
  readonly rpcNodes?: RpcNodes | null;
  readonly stalledNode?: StalledNode;
  readonly tips?: Tips | null;
}

/** Milliseconds that an answer of "healthy" is reused: every second probe asks the node. */
const HEALTHY_FOR_MS = 4_000;

/** Milliseconds that the program's state is reused, if launches can work and if not. */
const USABLE_FOR_MS = 60_000;
const UNUSABLE_FOR_MS = 5_000;

/** Milliseconds that the test of the RPC's methods is reused, if all work and if not. */
const ANSWERED_FOR_MS = 300_000;
const REFUSED_FOR_MS = 15_000;

export function chainContext(options: ChainLaunchpadOptions) {
  const { wallet, program, clock, limits, connection } = options;
  const { payers = ["operator"] } = options;
  const { probeConnection = connection, pace = new BlockPace(clock) } = options;
  const sending = sendingChain(
    { ...options, confirmer: { pace, ...options.confirmer } },
    wallet === null ? [] : [wallet.publicKey],
  );
  return {
    tips: null,
    cluster: null,
    rpcNodes: null,
    stalledNode: null,
    minAgentLamports: 0n,
    ...options,
    ...sending,
    payers,
    probeConnection,
    landing: new LandingWatch(probeConnection, clock, sending.confirmer),
    pace,
    guard: new WalletGuard({ address: String(wallet?.publicKey), limits, clock }),
    health: new SharedRead(
      () => isHealthy(probeConnection),
      (healthy) => (healthy ? HEALTHY_FOR_MS : 0),
      clock,
    ),
    problem: new SharedRead(
      () => withRpcErrors(() => program.checkConfig(probeConnection)),
      (problem) => (problem === null ? USABLE_FOR_MS : UNUSABLE_FOR_MS),
      clock,
    ),
    methods: new SharedRead(
      () => tryMethods(probeConnection, !options.rpcNodes),
      (faults) => (faults.length === 0 ? ANSWERED_FOR_MS : REFUSED_FOR_MS),
      clock,
    ),
  };
}

export type ChainContext = ReturnType<typeof chainContext>;
export type PayingContext = ChainContext & OwnContext;

export function hasWallet(chain: ChainContext): chain is PayingContext {
  return chain.wallet !== null;
}
