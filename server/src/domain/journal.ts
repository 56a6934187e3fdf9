import type { LaunchCost, Reservation } from "./intake-limits.ts";
import type { PoolTerms, TokenRef } from "./token.ts";

/** A fully signed transaction. */
export interface SignedBytes {
  /** The first signature in base58, which identifies the transaction on the cluster. */
  readonly signature: string;
  /** Retries send the same bytes. */
  readonly transaction: Uint8Array;
}

export interface SignedTransaction extends SignedBytes {
  /** The last block height at which it can land. */
  readonly lastValidBlockHeight: number;
  /** Lamports that the launch wallet pays as a tip, besides the fee. */
  readonly tipLamports?: bigint | null;
}

/** Stores a transaction before it is first sent, so that any server can continue after a crash. */
export interface Journal<Signed extends SignedTransaction = SignedTransaction> {
  /**
   * Resolves once the transaction is durable.
   * @returns an earlier transaction that must be sent instead, or null @throws if none may be sent
   */
  record(signed: Signed): Promise<SignedTransaction | null>;
}

/** A journal for what the launch wallet pays: it reserves lamports before the wallet signs. */
export interface WalletJournal<
  Stored extends SignedTransaction = SignedTransaction,
  Signed extends Stored = Stored,
> extends Journal<Signed> {
  readonly latest: Stored | null;

  /** Replaces an earlier reservation. @throws {LeaseLostError}, {StartRefusedError} */
  reserve(cost: LaunchCost): Promise<Reservation>;

  /** Replaces a reservation, if there is one, with what was spent. */
  settle(spent: bigint): Promise<void>;
}

/** Stores the addresses, because the secret or the config may change. */
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
  /** The launch has ended, or another transaction of it is signed. */
  | "not_waiting"
  | "too_late"
  /** The outcome of another launch of the agent is not known yet. */
  | "another_undecided"
  | "launched_today"
  | "wallet_blocked"
  | "paused"
  | "launch_rate_limit"
  /** The address or network has used up its share of the day's budget. */
  | "share_used"
  /** Too many of the agent's sponsored claims failed today or are undecided. */
  | "sponsor_spent";

/** Nothing was stored, so nothing may be sent. */
export class StartRefusedError extends Error {
  override readonly name = "StartRefusedError";

  constructor(readonly reason: StartRefusal) {
    super(reason);
  }
}

/** What a collection takes from one token; `lamports` in decimal. Stored as JSON. */
export interface CollectedToken {
  readonly tokenMint: string;
  /** The curve's pool and the vaults that pay. */
  readonly vaults: readonly string[];
  readonly lamports: string;
}

/** Collects the partner's share of tokens' fees. The partner's wallet pays the network fee. */
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
  /** Records a collection's end. Does nothing the second time. */
  end(signature: string, end: CollectionEnd): Promise<void>;
}
