import type { WaitingFor } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";

/**
 * Why launches end, by status. `chain`: the chain refused it. `cancelled`: by its agent or the operator.
 * `unsigned`: its agent did not sign in time. `waited`: for longer than `MAX_WAIT_HOURS`. `blocked`: its
 * wallet is. `day`: its agent has launched today.
 */
export const LAUNCH_ENDS = {
  success: ["deployed"],
  failed: ["chain", "cancelled", "unsigned", "waited", "blocked"],
  rate_limited: ["day"],
} as const;
export type LaunchEnd = keyof typeof LAUNCH_ENDS;
export type EndCause = (typeof LAUNCH_ENDS)[LaunchEnd][number];

/** How one try to put a launch on chain ends. */
export const DEPLOY_OUTCOMES = ["deployed", "refused", "wallet_empty", "put_off"] as const;
export type DeployOutcome = (typeof DEPLOY_OUTCOMES)[number];

/** Launches that ended together. */
export interface EndedLaunches {
  readonly status: LaunchEnd;
  readonly cause: EndCause;
  readonly payer: LaunchPayer;
  readonly count: number;
}

export interface LaunchOrder {
  /** The launch's UUID; the mint's and the pool's addresses follow from it. */
  readonly eventId: string;
  /** The agent's wallet, to which all creator fees belong. */
  readonly wallet: string;
  readonly name: string;
  /** The name that goes on chain; null for the beginning of `name`. */
  readonly onChainName?: string | null;
  readonly ticker: string;
  /** Who pays. Default, as null: the operator's launch wallet. */
  readonly payer?: LaunchPayer | null;
  /** What the agent buys in the transaction that creates the token; only if it pays. */
  readonly firstBuy?: FirstBuy | null;
}

export interface FirstBuy {
  readonly lamports: bigint;
  /** The least that it gets, in the token's smallest unit. */
  readonly minUnits: bigint;
}

export interface TokenLinks {
  readonly website: string | null;
  readonly twitter: string | null;
  readonly telegram: string | null;
}

export interface LaunchWait {
  readonly reason: WaitingFor;
  /** Since when, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** With `queue`: its place, 1 for the next. The largest also stands for more. Null in lists. */
  readonly place: number | null;
}

/** What all launches of a worker wait for, or all that the launch wallet pays for. */
export type Trouble = Omit<LaunchWait, "place">;
