import { DAY_MS } from "../base/utc-day.ts";

/** Where people find more about a token; null without one. */
export interface TokenLinks {
  readonly website: string | null;
  readonly twitter: string | null;
  readonly telegram: string | null;
}

/** A request to be stored. */
export interface NewLaunch extends TokenLinks {
  readonly eventId: string;
  readonly wallet: string;
  readonly name: string;
  readonly ticker: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  /** Of the image in this service that `imageUrl` names; null if it is none of them. */
  readonly imageHash: string | null;
  readonly createdAt: number;
  /** The client's key for this request and the request's hash; null without a key. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
  /** The network address that it comes from; null if no limit counts it. */
  readonly address: string | null;
}

/** How many launches are accepted, and from whom; `Infinity` is no limit. */
export interface IntakeLimits {
  /** Launches that may be pending. */
  readonly maxPending: number;
  /** Launches of one network address that may be pending. */
  readonly maxPendingOfAddress: number;
  /** Launches of one agent that are accepted in a UTC day. */
  readonly maxOfAgent: number;
  /** Launches and retries of one network address that are accepted in a UTC day. */
  readonly maxOfAddress: number;
  /** How long a launch that ended without a token keeps its ticker, in milliseconds. */
  readonly tickerHoldMs: number;
}

export const UNBOUNDED: IntakeLimits = {
  maxPending: Number.POSITIVE_INFINITY,
  maxPendingOfAddress: Number.POSITIVE_INFINITY,
  maxOfAgent: Number.POSITIVE_INFINITY,
  maxOfAddress: Number.POSITIVE_INFINITY,
  tickerHoldMs: DAY_MS,
};

/** The day's limit on what launches may cost. A launch is refused if the rest is too small for it. */
export interface DayBudget {
  /** Lamports of a UTC day. */
  readonly maxDailyLamports: bigint;
  /** What the next launch costs at least, as far as is known; lamports. */
  readonly launchLamports: bigint;
}

/** Why a launch is not accepted. */
export type Refusal =
  | "agent_launch_limit"
  | "address_launch_limit"
  | "address_queue_share"
  | "daily_budget_spent"
  | "queue_full"
  | "ticker_taken";

/** The outcome of a request: stored, known already under its key, or refused. */
export type InsertOutcome =
  | { readonly kind: "stored"; readonly eventId: string }
  | { readonly kind: "replayed"; readonly eventId: string }
  | { readonly kind: "key_reused" | Refusal };

/** The outcome of a request to retry. */
export type RetryOutcome =
  | { readonly kind: "stored"; readonly ticker: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "not_ended"; readonly status: string }
  | { readonly kind: Refusal; readonly ticker: string };

/** Where a request to launch or to retry comes from, and when. */
export interface RequestOrigin {
  /** Null if no limit counts it. */
  readonly address: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}
