import type { FirstBuy } from "@tokenctl/shared/programs/recipes";
import type { WaitingFor } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";

/**
 * Why launches end. `chain`: the chain refused the launch. `cancelled`: by the agent or the
 * operator. `waited`: longer than `MAX_WAIT_HOURS`. `day`: the agent has launched today.
 */
export const LAUNCH_ENDS = {
  success: ["deployed"],
  failed: ["chain", "cancelled", "unsigned", "waited", "blocked"],
  rate_limited: ["day"],
} as const;
export type LaunchEnd = keyof typeof LAUNCH_ENDS;
export type EndCause = (typeof LAUNCH_ENDS)[LaunchEnd][number];

export interface EndedLaunches {
  readonly status: LaunchEnd;
  readonly cause: EndCause;
  readonly payer: LaunchPayer;
  readonly count: number;
}

export interface LaunchOrder {
  /** A UUID; the addresses of mint and pool are derived from it. */
  readonly eventId: string;
  /** The agent, which owns all creator fees. */
  readonly wallet: string;
  readonly name: string;
  /** If null, the beginning of `name` goes on chain. */
  readonly onChainName?: string | null;
  readonly ticker: string;
  /** Absent or null if the operator pays. */
  readonly payer?: LaunchPayer | null;
  /** A purchase in the transaction that creates the token; only if the agent pays. */
  readonly firstBuy?: FirstBuy | null;
}

export interface TokenLinks {
  readonly website: string | null;
  readonly twitter: string | null;
  readonly telegram: string | null;
}

export interface LaunchWait {
  readonly reason: WaitingFor;
  readonly since: number;
}

/** Why every launch that the launch wallet pays for is waiting. */
export type Trouble = LaunchWait;
