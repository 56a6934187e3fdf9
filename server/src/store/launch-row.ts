import type { Objection } from "../domain/intake.ts";
import type { LaunchOrder, LaunchWait, TokenLinks } from "../domain/launch.ts";
import type { launches } from "./schema.ts";

type Stored = typeof launches.$inferSelect;
type Sums = Extract<keyof Stored, `${string}Lamports`> | "firstBuyUnits";

/** A launch as the queue and the chain see it. Timestamps are milliseconds since the Unix epoch. */
export type LaunchRow = Readonly<Omit<Stored, Sums | "transaction">> &
  LaunchOrder & { readonly transaction: Uint8Array | null };

/** A launch as its agent sees it; `agentLamports` is what the latest transaction costs. */
export interface LaunchSummary
  extends Pick<LaunchRow, "eventId" | "ticker" | "status" | "createdAt" | "processedAt" | "error">,
    Pick<LaunchRow, "tokenMint" | "poolAddress" | "payer">,
    Readonly<Pick<Stored, "agentLamports" | "signBy">> {
  readonly wait: LaunchWait | null;
}

export interface ListedLaunch extends LaunchSummary, Pick<LaunchRow, "name"> {
  /** Grows with each launch that is accepted: the order of lists and the cursor of their pages. */
  readonly id: number;
}

export interface NewLaunch extends LaunchOrder, TokenLinks {
  readonly description: string | null;
  readonly imageUrl: string | null;
  /** Null unless `imageUrl` names an image that this service stores. */
  readonly imageHash: string | null;
  readonly createdAt: number;
  /** Null unless the request has an idempotency key, which then determines its `eventId`. */
  readonly requestHash: string | null;
  /** The client's network address; null if no limit counts it. */
  readonly address: string | null;
  /** Refuses the launch unless it is stored already under its key; found outside the database. */
  readonly objection?: Objection | null;
}
