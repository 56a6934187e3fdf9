import type { Page } from "./token-store.ts";

/**
 * How long an expired claim is kept, in milliseconds. An agent that signs it within this time
 * reads that it expired.
 */
export const REMEMBERED_MS = 60_000;

/**
 * Unsigned claims that are kept for one token. An agent that asks for more does not use the oldest
 * any more, and cannot fill the table.
 */
export const UNSIGNED_PER_TOKEN = 16;

/**
 * No claim is leased for longer than this, in milliseconds. If one seems to be, the clock has
 * stepped back since, and the lease counts as run out.
 */
export const LONGEST_LEASE_MS = 120_000;

/** A claim transaction that the service hands out unsigned. */
export interface PreparedClaimRow {
  readonly wallet: string;
  readonly tokenMint: string;
  /** Further tokens whose fees it takes. */
  readonly otherMints?: readonly string[];
  /** SHA-256 of the message that the agent signs. */
  readonly messageHash: string;
  readonly lastValidBlockHeight: number;
  /** Milliseconds of `Store.clock`, as all times here. */
  readonly preparedAt: number;
  readonly expiresAt: number;
}

/** A claim with all that is known of it. */
export interface ClaimRow extends PreparedClaimRow {
  readonly id: number;
  readonly otherMints: readonly string[];
  /** `prepared`: handed out unsigned. `submitted`: stored, perhaps sent. `confirmed`: has paid. */
  readonly status: "prepared" | "submitted" | "confirmed";
  readonly signature: string | null;
  readonly transaction: Uint8Array | null;
  readonly paidLamports: bigint | null;
  readonly confirmedAt: number | null;
  /** The UTC day in which it was first submitted with a sponsor's signature; null without one. */
  readonly sponsoredDay: string | null;
}

/** Claim transactions that were handed out, and their outcomes. */
export interface ClaimStore {
  /** Stores a claim. Deletes unsigned ones that expired, and this token's oldest above its share. */
  prepare(claim: PreparedClaimRow): Promise<void>;

  /** Deletes the claims that expired unsigned. */
  forgetExpired(now: number): Promise<void>;

  /** The claim of this wallet and token that has this message; null for any token. */
  find(wallet: string, tokenMint: string | null, messageHash: string): Promise<ClaimRow | null>;

  /**
   * Sponsored claims of this wallet that were submitted in the current UTC day and are not confirmed.
   * They are kept until the day is over, or {@link clearRisk} is called.
   */
  sponsoredAtRisk(wallet: string): Promise<ClaimRow[]>;

  /** Notes that a sponsored claim has cost nothing and never will. Does nothing while it is submitted. */
  clearRisk(id: number): Promise<void>;

  /** A claim by its id; null if it was deleted. */
  read(id: number): Promise<ClaimRow | null>;

  /**
   * Leases a claim for `leaseMs` to send it, and stores the signed transaction before that; called before it is first
   * sent. The first transaction that is stored stays: a second signature of the same message is not
   * kept. One server at a time sends a claim.
   *
   * @param maxAtRisk if the claim is sponsored: how many of the wallet's sponsored claims may be
   * submitted and without success in the UTC day, this one included
   */
  submit(
    id: number,
    lease: ClaimLease,
    signature: string,
    transaction: Uint8Array,
    maxAtRisk?: number,
  ): Promise<SubmitOutcome>;

  /** Extends the lease. @returns false if it is lost */
  renew(id: number, lease: ClaimLease): Promise<boolean>;

  /** Gives a submitted claim with an unknown outcome back, to be sent again by any server. */
  release(id: number, leaseId: string): Promise<void>;

  /**
   * Takes back a submission that the chain refused or that expired: it moved nothing. Does nothing
   * if the lease is lost. If the claim has expired already, it is kept as long as one that expires
   * now. A sponsored one keeps what was signed: it may have cost a fee, and is never signed again.
   *
   * @param reason adds an event if the claim expired; one that the chain refused has an answer
   */
  withdraw(id: number, leaseId: string, now: number, reason?: "refused" | "expired"): Promise<void>;

  /**
   * Records what a claim and each of its tokens paid, and on the tokens when and to whom unless it paid
   * nothing; all or nothing. It has landed, so no lease is asked for. Does nothing if it is recorded already.
   */
  confirm(
    claim: Pick<ClaimRow, "id" | "wallet" | "tokenMint" | "otherMints">,
    paid: PaidClaim,
  ): Promise<void>;

  /**
   * What a wallet's claims have paid, newest first: an entry for each token of a claim that paid
   * something. A claim gets
   * its place in the transaction that records it, and a wallet's claims commit in the order of their
   * places: what is recorded later stands before all that was read, so a cursor skips none.
   */
  history(wallet: string, part: HistoryPart): Promise<Page<PaidTokenRow>>;

  /** What a wallet's claims have paid, summed for each token; nothing for a token without claims. */
  paidByToken(wallet: string): Promise<ReadonlyMap<string, TokenSum>>;

  /** Submitted claims that no server holds: their outcome is unknown. */
  unsettled(): Promise<ClaimRow[]>;

  /** How many claims are submitted, and neither confirmed nor withdrawn. */
  countSubmitted(): Promise<number>;

  /** Frees all leases of an earlier process; does nothing on a shared store. */
  recover(): Promise<void>;
}

export interface ClaimLease {
  readonly id: string;
  readonly ms: number;
}

export interface PaidClaim {
  readonly signature: string;
  readonly lamports: bigint;
  /** Its parts, one for each token, whose sum is `lamports`. */
  readonly payouts: readonly TokenPayoutRow[];
  readonly at: number;
}

/** What a claim paid of one token's fees, in lamports. */
export interface TokenPayoutRow {
  readonly tokenMint: string;
  readonly bondingCurve: bigint;
  readonly liquidityPool: bigint;
}

/** What claims have paid of one token's fees, in lamports. */
export interface TokenSum {
  readonly bondingCurve: bigint;
  readonly liquidityPool: bigint;
  /** Whether that is all: false while the outcome of a claim is not known. */
  readonly isWhole: boolean;
}

/** Which entries of a history are read. */
export interface HistoryPart {
  /** Of this token only; null for all. */
  readonly tokenMint: string | null;
  /** Confirmed at this time or later, and before that one, in milliseconds; null for no bound. */
  readonly from: number | null;
  readonly to: number | null;
  /** The most rows; null for all. */
  readonly limit: number | null;
  /** Those after the row of this place; null from the first row on. */
  readonly before: number | null;
}

/** What a claim that has paid took of a token, as its agent's history shows it. */
export interface PaidTokenRow {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly signature: string;
  readonly confirmedAt: number;
  readonly curveLamports: bigint;
  readonly poolLamports: bigint;
}

/**
 * `leased`: send these bytes. `held`: another server sends it now. `gone`: it was deleted.
 * `sponsor_spent`: too many sponsored claims of the wallet have not succeeded today.
 */
export type SubmitOutcome =
  | {
      readonly kind: "leased";
      readonly signature: string;
      readonly transaction: Uint8Array;
      /** Whether it may have been sent before. */
      readonly mayBeUnderWay: boolean;
    }
  | { readonly kind: "confirmed"; readonly signature: string; readonly paidLamports: bigint }
  | { readonly kind: "held" | "gone" | "sponsor_spent" };
