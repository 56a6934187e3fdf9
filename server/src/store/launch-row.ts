import type { launches } from "./schema.ts";

/** A launch with all its columns. */
export type LaunchRow = typeof launches.$inferSelect;

/** What an agent reads about its launch. */
export type LaunchSummary = Pick<
  LaunchRow,
  "eventId" | "ticker" | "status" | "processedAt" | "error" | "tokenMint" | "poolAddress"
>;

/** A signed transaction of a launch, and the addresses that it creates. */
export interface SignedAttempt {
  readonly tokenMint: string;
  readonly poolAddress: string;
  readonly signature: string;
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
}

/** Called with the number of launches that have ended, after each change that ends some. */
export type OnEnded = (status: "success" | "failed" | "rate_limited", count: number) => void;
