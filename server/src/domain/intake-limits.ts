import type { LaunchPayer } from "@tokenctl/shared/words";
import type { SharePercents } from "./shares.ts";

/** Whose launches are accepted (`ADMISSION`): everyone's, those of invited agents, or those on the allowlist. */
export const ADMISSION_MODES = ["open", "invite", "allowlist"] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** How many launches are accepted, and from whom; `Infinity` is no limit. */
export interface LaunchLimits {
  readonly admission: AdmissionMode;
  /** Agents that get a launch started in any hour, with those that wait for their first one. */
  readonly maxPerHour: number;
  readonly maxPending: number;
  readonly maxOfAgent: number;
  readonly maxOfAddress: number;
  /** What part of queue, hour and budget one address, and one network, may have. */
  readonly shares: SharePercents;
  /** Who may pay for a launch. The operator does if the request does not say. */
  readonly payers: readonly LaunchPayer[];
  /** How long an agent has to sign a launch that it pays for, in milliseconds. */
  readonly signWithinMs: number;
  /** How long a launch that ended without a token keeps its ticker, in milliseconds. */
  readonly tickerHoldMs: number;
}

export interface IntakeLimits extends LaunchLimits {
  /** What the launches of the day may cost; null for any sum. */
  readonly budget: DayBudget | null;
}

/** The day's limit on what launches may cost. */
export interface DayBudget {
  /** Lamports of a UTC day. */
  readonly maxDailyLamports: bigint;
  /** What the next launch costs, as far as is known; lamports, at least 1. */
  readonly launchLamports: bigint;
}

export interface LaunchBudget {
  dayBudget(): DayBudget | null;
}

export const NO_BUDGET: LaunchBudget = { dayBudget: () => null };

export const UNBOUNDED: IntakeLimits = {
  admission: "open",
  maxPerHour: Number.POSITIVE_INFINITY,
  maxPending: Number.POSITIVE_INFINITY,
  maxOfAgent: Number.POSITIVE_INFINITY,
  maxOfAddress: Number.POSITIVE_INFINITY,
  shares: { address: 0, network: 0 },
  payers: ["operator"],
  signWithinMs: 300_000,
  tickerHoldMs: 86_400_000,
  budget: null,
};

/** `Infinity` is no limit, which JSON does not know. */
export function orNull(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
