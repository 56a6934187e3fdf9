import type { LaunchCost, Reservation } from "./intake-limits.ts";
import type { PoolTerms, TokenRef } from "./token.ts";

/** Bytes with all their signatures. */
export interface SignedBytes {
  /** The first, base58: the cluster's name for the transaction. */
  readonly signature: string;
  /** Sent again unchanged. */
  readonly transaction: Uint8Array;
}

export interface SignedTransaction extends SignedBytes {
  /** The last block height at which it can land. */
  readonly lastValidBlockHeight: number;
  /** What the launch wallet pays to have it land, beside the fee. */
  readonly tipLamports?: bigint | null;
}

/**
 * Stores a transaction before it is first sent, for a crash and for other servers. Durable when it resolves.
 */
export interface Journal<Signed extends SignedTransaction = SignedTransaction> {
  /** @returns an earlier transaction that must be sent instead, or null. @throws if none may be sent */
  record(signed: Signed): Promise<SignedTransaction | null>;
}

/** For what the launch wallet pays: lamports are reserved before it signs. */
export interface WalletJournal<
  Stored extends SignedTransaction = SignedTransaction,
  Signed extends Stored = Stored,
> extends Journal<Signed> {
  readonly latest: Stored | null;

  /** Replaces an earlier reservation. @throws {LeaseLostError}, {StartRefusedError} */
  reserve(cost: LaunchCost): Promise<Reservation>;

  /** Ends a reservation, if there is one, with what was really spent. */
  settle(spent: bigint): Promise<void>;
}

/** The addresses are kept in case the secret or the config changes. */
export interface LaunchAttempt extends SignedTransaction, TokenRef {}

export interface NewAttempt extends LaunchAttempt {
  readonly terms: PoolTerms;
}

export type LaunchJournal = WalletJournal<LaunchAttempt, NewAttempt>;

/** Another server holds the lease, so this one may record nothing. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

export type StartRefusal =
  /** It has ended, or another transaction of it is signed. */
  | "not_waiting"
  | "too_late"
  /** The outcome of another launch of the agent is not known yet. */
  | "another_undecided"
  | "launched_today"
  | "wallet_blocked"
  | "paused"
  | "launch_rate_limit"
  /** Its address or network has its share of what launches may cost in the day. */
  | "share_used"
  /** Too many sponsored claims of the agent failed or are open today. */
  | "sponsor_spent";

/** Nothing was stored, so nothing may be sent. */
export class StartRefusedError extends Error {
  override readonly name = "StartRefusedError";

  constructor(readonly reason: StartRefusal) {
    super(reason);
  }
}

/** What a collection takes from one token; `lamports` in decimal. JSON in the database. */
export interface CollectedToken {
  readonly tokenMint: string;
  /** The curve's pool and the vaults that pay. */
  readonly vaults: readonly string[];
  readonly lamports: string;
}

/** A transaction by which the partner's wallet, which pays the fee, takes its share of tokens' fees. */
export interface SignedCollection extends SignedTransaction {
  readonly wallet: string;
  readonly tokens: readonly CollectedToken[];
  readonly submittedAt: number;
}

export type CollectionEnd =
  | {
      readonly status: "confirmed";
      readonly tokens: readonly CollectedToken[];
      readonly paidLamports: bigint;
      readonly feeLamports: bigint;
      readonly at: number;
    }
  | { readonly status: "failed" | "expired"; readonly feeLamports: bigint; readonly at: number };

export interface CollectionLedger extends Journal<SignedCollection> {
  /** Does nothing if it has ended. */
  end(signature: string, end: CollectionEnd): Promise<void>;
}
