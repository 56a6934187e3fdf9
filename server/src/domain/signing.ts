import type { SignedTransaction } from "./journal.ts";
import type { LaunchOrder } from "./launch.ts";
import type { PoolTerms, TokenRef } from "./token.ts";

export const SIGNING_KINDS = ["claim", "hand_over", "launch"] as const;
export type SigningKind = (typeof SIGNING_KINDS)[number];

/** A transaction that the service composed and the agent signed. */
export interface HandedOut extends Pick<SignedTransaction, "transaction" | "lastValidBlockHeight"> {
  readonly kind: SigningKind;
  readonly agent: string;
  /** The tokens of a claim, the token of a hand-over, or the token that a launch creates. */
  readonly tokens: readonly TokenRef[];
  /** Launches only. */
  readonly order?: LaunchOrder;
}

export type Signed = HandedOut & SignedTransaction;

export const SUBMIT_OUTCOMES = [
  "confirmed",
  "refused",
  "insufficient_sol",
  "expired",
  "put_off",
] as const;
export type SubmitOutcome = (typeof SUBMIT_OUTCOMES)[number];

/** Stored as JSON, with lamports in decimal. */
export interface HandedOutLaunch extends TokenRef {
  readonly terms: PoolTerms;
  readonly agentLamports: string;
}

export type FeeKind = "bondingCurve" | "liquidityPool";

/** Lamports that a claim took from one token, by kind. All fees are in SOL. */
export interface TokenPayout extends Readonly<Record<FeeKind, bigint>> {
  readonly tokenMint: string;
}

export interface Receiver {
  readonly address: string;
  /** A whole percentage; the shares of a claim add up to 100. */
  readonly share: number;
}

/** What a receiver gets; `lamports` in decimal. Stored as JSON. */
export interface PaidReceiver {
  readonly address: string;
  readonly lamports: string;
}

export interface ConfirmedClaim {
  readonly signature: string;
  /** Lamports that the pools' vaults paid. */
  readonly paidLamports: bigint;
}

export interface LandedClaim extends ConfirmedClaim {
  /** One for each token; they add up to `paidLamports`. */
  readonly payouts: readonly TokenPayout[];
}
