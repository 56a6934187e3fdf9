import type { LaunchCost, Reservation } from "./intake-limits.ts";
import type { PoolTerms, TokenRef } from "./token.ts";

/** A transaction with all its signatures. */
export interface SignedTransaction {
  /** Base58. */
  readonly signature: string;
  /** The signed bytes; sent again as they are. */
  readonly transaction: Uint8Array;
  /** The block height after which it can no longer land. */
  readonly lastValidBlockHeight: number;
}

/** @returns what a row holds of its latest transaction; null if nothing is signed */
export function signedOf({
  signature,
  transaction,
  lastValidBlockHeight,
}: { readonly [Field in keyof SignedTransaction]: SignedTransaction[Field] | null }) {
  return signature !== null && transaction !== null && lastValidBlockHeight !== null
    ? { signature, transaction, lastValidBlockHeight }
    : null;
}

/**
 * What is written of a transaction before it is first sent, and found after a crash and by other
 * servers. Durable when a call resolves.
 */
export interface Journal<Signed extends SignedTransaction = SignedTransaction> {
  /** @returns what was stored before, to be sent instead, or null. @throws if none may be sent */
  record(signed: Signed): Promise<SignedTransaction | null>;
}

/** The journal of what the launch wallet pays for: lamports are set aside before it signs. */
export interface WalletJournal<
  Stored extends SignedTransaction = SignedTransaction,
  Signed extends Stored = Stored,
> extends Journal<Signed> {
  /** What was signed last; null if nothing was. */
  readonly latest: Stored | null;

  /** Replaces what was set aside; success ends it. @throws {LeaseLostError}, {ShareUsedError} */
  reserve(cost: LaunchCost): Promise<Reservation>;

  /** Ends a reservation with what was really spent. Does nothing without one. */
  settle(spent: bigint): Promise<void>;
}

/**
 * A signed launch, and the addresses that it creates: its token is found even if the secret or the config
 * has changed since.
 */
export interface LaunchAttempt extends SignedTransaction, TokenRef {}

/** An attempt that is not stored yet, with what its pool is made under. */
export interface NewAttempt extends LaunchAttempt {
  readonly terms: PoolTerms;
}

export type LaunchJournal = WalletJournal<LaunchAttempt, NewAttempt>;

/** Another server works on it now: this one may record nothing about it. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

export class AlreadyLaunchedTodayError extends Error {
  override readonly name = "AlreadyLaunchedTodayError";
}

/** Another launch of the agent, which it pays for, is signed and may land. */
export class AnotherUndecidedError extends Error {
  override readonly name = "AnotherUndecidedError";
}

export class ShareUsedError extends Error {
  override readonly name = "ShareUsedError";
}

/** Too many sponsored claims of the agent have not succeeded today. */
export class SponsorSpentError extends Error {
  override readonly name = "SponsorSpentError";
}

/** What a collection takes from one token. JSON in the database. */
export interface CollectedToken {
  readonly tokenMint: string;
  /** The accounts from which the lamports come: the curve's pool and the vaults of its pools. */
  readonly vaults: readonly string[];
  /** Lamports in decimal. */
  readonly lamports: string;
}

/** A signed transaction by which the launch wallet takes its share of tokens' fees. */
export interface SignedCollection extends SignedTransaction {
  /** Whose share it is; it pays for the transaction. */
  readonly wallet: string;
  readonly tokens: readonly CollectedToken[];
  /** Milliseconds since the Unix epoch, as all times here. */
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

/** Keeps what was signed to collect, and how it ended. */
export interface CollectionLedger extends Journal<SignedCollection> {
  /** Ends a collection. Does nothing if it has ended. */
  end(signature: string, end: CollectionEnd): Promise<void>;
}
