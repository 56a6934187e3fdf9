import type { IntakeFacts, IntakeRequest } from "../domain/intake.ts";
import { type IntakeLimits, UNBOUNDED } from "../domain/intake-limits.ts";
import type { BatchRequest } from "./intake-batch.ts";

/** What decides whether a launch would be accepted now, and when it would be on chain. */
export interface IntakeState extends IntakeFacts {
  /** Launches of the agent that are pending. */
  readonly pendingOfAgent: number;
  /** Whether a launch of the agent that belongs to the UTC day that is now has succeeded. */
  readonly hasLaunchedToday: boolean;
  /** Milliseconds from request to token of the latest tokens of the last day; 20 at most. */
  readonly recentMs: readonly number[];
}

/** Who asks about the intake. */
export interface StateQuery
  extends Pick<IntakeRequest, "wallet" | "now">,
    Partial<Pick<IntakeRequest, "ticker" | "address" | "inviteHash">> {
  /** Whether the places of the hour are read, which takes as long as launches are pending. */
  readonly readsPlaces?: boolean;
}

/** How many of the latest tokens show how long launches take. */
export const RECENT_TOKENS = 20;

const ANY = { maxDailyLamports: 0n, launchLamports: 1n };

/** @returns the request to read the facts of, and limits that ask for all of them */
export function asRequest(query: StateQuery): readonly [BatchRequest, IntakeLimits] {
  const { wallet, now, ticker = null, address = null, inviteHash = null } = query;
  const maxPerHour = query.readsPlaces ? 0 : Number.POSITIVE_INFINITY;
  return [
    {
      ...{ eventId: "", wallet, ticker, address, now, isRetry: false, inviteHash },
      ...{ objections: [], key: null, imageHash: null },
    },
    { ...UNBOUNDED, maxOfAgent: 0, maxOfAddress: 0, maxPending: 0, maxPerHour, budget: ANY },
  ];
}
