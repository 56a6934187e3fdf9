import type { LaunchStatusName } from "./launch-row.ts";

/** What decides whether a launch would be accepted now, and when it would be on chain. */
export interface IntakeState {
  /** Launches of the agent that were accepted in the UTC day of the request. */
  readonly ofAgent: number;
  /** Launches of the agent that are pending. */
  readonly pendingOfAgent: number;
  /** Whether a launch of the agent that belongs to the UTC day that is now has succeeded. */
  readonly hasLaunchedToday: boolean;
  /** Launches and retries of the network address that were counted in the UTC day of the request. */
  readonly ofAddress: number;
  /** Launches that are pending: of the network address, of its network, and of all agents. */
  readonly pendingOfAddress: number;
  readonly pendingOfNetwork: number;
  readonly pending: number;
  /** Launches that came on chain in the UTC day that is now. */
  readonly launchedOfAddress: number;
  readonly launchedOfNetwork: number;
  /** Lamports that launches took or set aside in that day, and how many pending ones have set some aside. */
  readonly spentLamports: bigint;
  readonly reserved: number;
  /** The launch that has the ticker; null if none has. */
  readonly holder: TickerHolder | null;
  /** Milliseconds from request to token of the latest tokens of the last day; 20 at most. */
  readonly recentMs: readonly number[];
}

export interface TickerHolder {
  readonly eventId: string;
  readonly wallet: string;
  readonly status: LaunchStatusName;
  /** When it ended without a token; null if it is pending or has succeeded. */
  readonly endedAt: number | null;
}

/** How many of the latest tokens show how long launches take. */
export const RECENT_TOKENS = 20;
