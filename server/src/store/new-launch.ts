import type { Objection, Refusal } from "../domain/intake.ts";
import type { LaunchOrder, TokenLinks } from "../domain/launch.ts";

export const HOUR_MS = 3_600_000;

/** A request to be stored. */
export interface NewLaunch extends LaunchOrder, TokenLinks {
  readonly description: string | null;
  readonly imageUrl: string | null;
  /** Of the image in this service that `imageUrl` names; null if it names another. */
  readonly imageHash: string | null;
  readonly createdAt: number;
  /** The client's key for this request and the request's hash; null without a key. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
  /** The network address that it comes from; null if no limit counts it. */
  readonly address: string | null;
  /** Redeemed with the launch, if the agent needs an invite and has none. */
  readonly inviteCode?: string | null;
  /** Why it is refused unless it is known under its key; found outside of the database. */
  readonly objection?: Objection | null;
}

/**
 * The outcome of a request: stored, known already under its key, or refused. The transaction that
 * stores it looks up its image, which cannot expire between the two.
 */
export type InsertOutcome =
  | { readonly kind: "stored"; readonly eventId: string }
  | { readonly kind: "replayed"; readonly eventId: string }
  | { readonly kind: "key_reused" | "image_gone" | Refusal };

/** The outcome of a request to retry; `not_paid`: the operator was to pay, and pays for none any more. */
export type RetryOutcome =
  | { readonly kind: "stored"; readonly ticker: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "not_ended"; readonly status: string }
  | { readonly kind: Refusal | "not_paid"; readonly ticker: string };

/** Where a request to launch or to retry comes from, and when. */
export interface RequestOrigin {
  /** Null if no limit counts it. */
  readonly address: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** See `NewLaunch`. */
  readonly objection?: Objection | null;
}
