import type { Connection } from "@solana/web3.js";
import type { Clock } from "../../base/clock.ts";
import type { BlockPace } from "../../solana/block-pace.ts";
import type { Confirmer } from "../../solana/confirmer.ts";
import type { FeeCaps, PriorityFees } from "../../solana/fees.ts";
import type { StalledNode } from "../../solana/health.ts";
import type { LandingWatch } from "../../solana/landing-watch.ts";
import type { RpcNodes } from "../../solana/rpc-nodes.ts";
import type { SharedRead } from "../../solana/shared-read.ts";
import type { WalletSigner } from "../../solana/wallet-signer.ts";
import type { CrashPoint } from "../crash-point.ts";
import type { PoolProgram } from "../pool-program.ts";
import type { ClusterIdentity } from "./cluster.ts";
import type { WalletGuard } from "./wallet-guard.ts";

/** What the operations of {@link chainLaunchpad} share. */
export interface ChainContext {
  readonly connection: Connection;
  /** For probes alone, with a short time-out. */
  readonly probeConnection: Connection;
  readonly wallet: WalletSigner;
  readonly program: PoolProgram;
  readonly confirmer: Confirmer;
  /** Fed by the confirmer, and asked by the probes. */
  readonly landing: LandingWatch;
  /** Fed by the probes. */
  readonly pace: BlockPace;
  /** This machine's. */
  readonly clock: Clock;
  readonly fees: PriorityFees;
  readonly feeCaps: FeeCaps;
  /** What an agent's wallet must hold when its launch is started. */
  readonly minAgentLamports: bigint;
  readonly guard: WalletGuard;
  /** Whether the node thinks that it keeps up with its cluster. */
  readonly health: SharedRead<boolean>;
  /** Why launches cannot work; null if they can. */
  readonly problem: SharedRead<string | null>;
  /** Null for the embedded chain. */
  readonly cluster: ClusterIdentity | null;
  /** Null unless there are several. */
  readonly rpcNodes: Pick<RpcNodes, "describeProblems"> | null;
  /** Null for a chain without a node. */
  readonly stalledNode: StalledNode | null;
  readonly crashPoint: CrashPoint | undefined;
  /** A number that differs from claim to claim. */
  readonly claimNumber: () => number;
  /** Waits this many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
}
