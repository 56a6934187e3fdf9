import type { LaunchStatusName } from "@tokenctl/shared/types";
import type { LaunchOrder, LaunchWait, TokenLinks } from "../domain/launch.ts";

/** A launch with all its columns. Timestamps are milliseconds since the Unix epoch. */
export interface LaunchRow extends LaunchOrder, TokenLinks {
  readonly onChainName: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly status: LaunchStatusName;
  readonly createdAt: number;
  readonly processedAt: number | null;
  /** Why it ended without success; its agent reads this text. */
  readonly error: string | null;
  /** How often it was leased; the lease counts, so that a crash counts. */
  readonly attempts: number;
  /** The UTC day (YYYY-MM-DD) in which it was signed last, or leased if it was never signed. */
  readonly day: string | null;
  /** Of the latest transaction; stored before it is sent. */
  readonly signature: string | null;
  readonly transaction: Uint8Array | null;
  readonly lastValidBlockHeight: number | null;
  readonly tokenMint: string | null;
  readonly poolAddress: string | null;
  /** The network address that it came from, while it is pending; null if no limit counts it. */
  readonly address: string | null;
  /** Until when its agent must have signed it; null if it need not, or has. */
  readonly signBy: number | null;
}

/** What an agent reads about its launch. */
export interface LaunchSummary
  extends Pick<
    LaunchRow,
    | "eventId"
    | "ticker"
    | "status"
    | "createdAt"
    | "processedAt"
    | "error"
    | "tokenMint"
    | "poolAddress"
  > {
  /** Null if the operator pays. */
  readonly payer: "agent" | null;
  /** Lamports that its latest transaction takes from its agent; null if the operator pays. */
  readonly agentLamports: number | null;
  /** Null once it has ended. */
  readonly wait: LaunchWait | null;
}

/** A launch as lists show it. */
export interface ListedLaunch extends LaunchSummary, Pick<LaunchRow, "name"> {
  /** Grows with each launch that is accepted: the order of lists and the cursor of their pages. */
  readonly id: number;
}

/** Which of a wallet's launches a list shows. */
export interface LaunchQuery {
  /** Null for all. */
  readonly status: LaunchStatusName | null;
  /** The most rows; null for no limit. */
  readonly limit: number | null;
  /** Only launches with smaller ids; null for all. */
  readonly before: number | null;
}

/** Called with the number of launches that have ended, after each change that ends some. */
export type OnEnded = (status: Exclude<LaunchStatusName, "pending">, count: number) => void;
