import type { Connection, Keypair } from "@solana/web3.js";
import type { Confirmer } from "../../solana/confirmer.ts";
import type { FeeCaps, PriorityFees } from "../../solana/priority-fee.ts";
import type { SharedRead } from "../../solana/shared-read.ts";
import type { Checkpoint } from "../checkpoint.ts";
import type { PoolProgram } from "../pool-program.ts";
import type { StalledNode } from "./stalled-node.ts";
import type { WalletGuard } from "./wallet-guard.ts";

/** What the operations of {@link ChainLaunchpad} share. */
export interface ChainContext {
  readonly connection: Connection;
  /** For probes alone: its requests end soon. */
  readonly probeConnection: Connection;
  readonly wallet: Keypair;
  readonly program: PoolProgram;
  readonly confirmer: Confirmer;
  readonly fees: PriorityFees;
  readonly feeCaps: FeeCaps;
  readonly guard: WalletGuard;
  /** Whether the node thinks that it keeps up with its cluster. */
  readonly health: SharedRead<boolean>;
  /** What stands in the way of launching; null when nothing. */
  readonly problem: SharedRead<string | null>;
  /** Null for a chain that has no node to stand still. */
  readonly stalledNode: StalledNode | null;
  readonly checkpoint: Checkpoint;
  /** A number that differs from claim to claim. */
  readonly claimNumber: () => number;
  /** Waits so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
}
