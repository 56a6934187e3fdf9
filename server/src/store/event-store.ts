import type { EventType } from "../domain/event-type.ts";

/** Something that happened to a launch or to a token of a wallet. It holds identifiers alone. */
export interface EventRow {
  /** 1, 2, 3 … for each wallet, in the order of commits and without gaps. */
  readonly id: number;
  readonly type: EventType;
  /** Milliseconds of `Store.clock`; never before that of the wallet's event before. */
  readonly createdAt: number;
  /** Of the launch. */
  readonly eventId: string;
  readonly ticker: string;
  /** Null if the launch has no token. */
  readonly tokenMint: string | null;
  /** Signature of the claim's transaction; null if the event is not about a claim. */
  readonly transactionHash: string | null;
  /** The tokens of a claim of several, beside `tokenMint`. */
  readonly otherMints: readonly string[];
}

/**
 * `events`: those after the cursor; `last` is the id of the wallet's newest event, 0 without one.
 * `gone`: events after the cursor were deleted, or the cursor is beyond the newest event; reading can
 * start again after `oldest`.
 */
export type EventsRead =
  | { readonly kind: "events"; readonly events: EventRow[]; readonly last: number }
  | { readonly kind: "gone"; readonly oldest: number; readonly last: number };

/**
 * The events of all wallets. The methods of other stores add them, in the transaction of the change
 * that they tell. A wallet's events become visible in the order of their ids, so that a reader's cursor
 * skips none.
 */
export interface EventStore {
  /**
   * Reads a wallet's events, oldest first.
   *
   * @param after the id of the last event that was read; 0 for none, null for the oldest that is kept
   * @param limit how many events at most
   */
  read(wallet: string, after: number | null, limit: number): Promise<EventsRead>;

  /**
   * Wallets with an event of this time or later, and the id of their newest event. A transaction that
   * ends late shows its events late: a hint that a reader should read, never what there is to read.
   */
  changedSince(time: number): Promise<ChangedWallet[]>;

  /**
   * Deletes events from before a time, oldest first and none of a wallet before its older ones.
   *
   * @returns how many it deleted: fewer than `limit` if none is left
   */
  forget(before: number, limit: number): Promise<number>;
}

export interface ChangedWallet {
  readonly wallet: string;
  readonly last: number;
}

/** Called with a wallet after each commit of this store that adds events of it. */
export type OnEvents = (wallet: string) => void;

/**
 * @param oldest id of the oldest event that is kept, null without one
 * @param last id of the newest event
 */
export function eventsRead(
  after: number | null,
  { events, oldest, last }: { events: EventRow[]; oldest: number | null; last: number },
): EventsRead {
  const first = (oldest ?? last + 1) - 1;
  if (after !== null && (after < first || after > last))
    return { kind: "gone", oldest: first, last };
  return { kind: "events", events, last };
}
