import { type SQL, sql } from "drizzle-orm";
import type { EventType } from "../domain/event-type.ts";
import type { Database, Session, Transaction } from "./database.ts";
import { addEvents, type OnEvents } from "./events.ts";

/** The claimable lamports at which an agent is notified of its fees. */
export interface FeeThreshold {
  /** Null for all tokens that have no threshold of their own. */
  readonly tokenMint: string | null;
  readonly lamports: bigint;
}

/** A token whose pool may bring an event. */
export interface WatchedToken {
  readonly id: number;
  readonly wallet: string;
  readonly tokenMint: string;
  readonly poolAddress: string;
  /** When fees were claimed last; null while unclaimed. */
  readonly claimedAt: number | null;
  /** Whether the agent was told that the fees have reached its threshold, and they stayed there. */
  readonly isTold: boolean;
  /** The lamports at which the agent is notified; null for never. */
  readonly threshold: bigint | null;
}

/** The name of the watch among the leases. */
const WATCH_LEASE = "pool watch";

/**
 * No watch is leased for longer than this, in milliseconds. If one seems to be, the clock has stepped
 * back since, and the lease counts as run out.
 */
export const LONGEST_WATCH_MS = 2 * 3_600_000;

/** How a threshold of all tokens is stored. */
const ALL_TOKENS = "";

/** The threshold of a token: its own, otherwise the one of all tokens of its wallet. As text: of any size. */
const THRESHOLD = sql`cast(coalesce(
  (select lamports from fee_thresholds as own
    where own.wallet = tokens.wallet and own.token_mint = tokens.token_mint),
  (select lamports from fee_thresholds as common
    where common.wallet = tokens.wallet and common.token_mint = ${ALL_TOKENS})) as text)`;

const WATCHED = sql<StoredToken>`select id, wallet, token_mint as "tokenMint",
  pool_address as "poolAddress", claimed_at as "claimedAt", fees_told_at as "feesToldAt",
  ${THRESHOLD} as threshold from tokens`;

interface StoredToken extends Omit<WatchedToken, "isTold" | "threshold"> {
  readonly feesToldAt: number | null;
  readonly threshold: string | null;
}

interface StoredSubject {
  readonly wallet: string;
  readonly eventId: string;
  readonly ticker: string;
  readonly tokenMint: string;
}

/** What the pools of tokens are watched for, and the events that this brings. */
export class Watch {
  readonly #db: Database;
  readonly #onEvents: OnEvents;

  constructor(db: Database, onEvents: OnEvents) {
    this.#db = db;
    this.#onEvents = onEvents;
  }

  /** The thresholds of a wallet: the one of all tokens first, then by mint. */
  async thresholds(wallet: string): Promise<FeeThreshold[]> {
    const rows = await this.#db.read((session) =>
      session.all(sql<{ tokenMint: string; lamports: string }>`
        select token_mint as "tokenMint", lamports from fee_thresholds where wallet = ${wallet}`),
    );
    const sorted = rows.toSorted((one, other) => (one.tokenMint < other.tokenMint ? -1 : 1));
    return sorted.map(({ tokenMint, lamports }) => ({
      tokenMint: tokenMint === ALL_TOKENS ? null : tokenMint,
      lamports: BigInt(lamports),
    }));
  }

  async setThreshold(wallet: string, { tokenMint, lamports }: FeeThreshold): Promise<void> {
    await this.#db.transaction(
      (transaction) =>
        transaction.run(sql`insert into fee_thresholds (wallet, token_mint, lamports)
          values (${wallet}, ${tokenMint ?? ALL_TOKENS}, ${lamports.toString()})
          on conflict (wallet, token_mint) do update set lamports = excluded.lamports`),
      lockOf(wallet),
    );
  }

  /** Deletes a threshold, if there is one. Tokens that it was for are told again by the next. */
  async deleteThreshold(wallet: string, tokenMint: string | null): Promise<void> {
    const isFor =
      tokenMint === null
        ? sql`token_mint not in (select token_mint from fee_thresholds where wallet = ${wallet})`
        : sql`token_mint = ${tokenMint}`;
    await this.#db.transaction(async (transaction) => {
      await transaction.run(sql`update tokens set fees_told_at = null
        where wallet = ${wallet} and fees_told_at is not null and ${isFor}`);
      await transaction.run(sql`delete from fee_thresholds
        where wallet = ${wallet} and token_mint = ${tokenMint ?? ALL_TOKENS}`);
    }, lockOf(wallet));
  }

  /** At most `limit` tokens of all wallets that have not migrated, with ids above `after`, in order. */
  unmigrated(after: number, limit: number): Promise<WatchedToken[]> {
    return this.#watched(
      sql`where migrated_at is null and id > ${after} order by id limit ${limit}`,
    );
  }

  /** At most `limit` wallets with a threshold, after this one, in order. */
  async walletsWithThresholds(after: string, limit: number): Promise<string[]> {
    const rows = await this.#db.read((session) =>
      session.all(sql<{ wallet: string }>`select distinct wallet from fee_thresholds
        where wallet > ${after} order by wallet limit ${limit}`),
    );
    return rows.map(({ wallet }) => wallet);
  }

  /** At most `limit` migrated tokens of a wallet that have a threshold, with ids above `after`, in order. */
  migratedOf(wallet: string, after: number, limit: number): Promise<WatchedToken[]> {
    return this.#watched(sql`where wallet = ${wallet} and id > ${after} and migrated_at is not null
      and ${THRESHOLD} is not null order by id limit ${limit}`);
  }

  /**
   * Records that a token has migrated, and adds `token.migrated`.
   *
   * @returns whether this call did; false if it was recorded before
   */
  migrate(tokenMint: string): Promise<boolean> {
    return this.#change(
      "token.migrated",
      ({ now }) => sql`update tokens set migrated_at = ${now}
      where token_mint = ${tokenMint} and migrated_at is null`,
    );
  }

  /**
   * Records that a token's fees have reached the threshold, and adds `fees.claimable`. Does nothing if
   * the agent was told before, has claimed, or has changed its threshold since the token was read.
   *
   * @returns whether this call did
   */
  async tellFees({ wallet, tokenMint, claimedAt, threshold }: WatchedToken): Promise<boolean> {
    if (threshold === null) return false;
    const isAsSeen = sql`claimed_at is not distinct from cast(${claimedAt} as bigint)
      and ${THRESHOLD} = ${threshold.toString()}`;
    return await this.#change(
      "fees.claimable",
      ({ now }) => sql`update tokens set fees_told_at = ${now}
        where token_mint = ${tokenMint} and fees_told_at is null and ${isAsSeen}`,
      lockOf(wallet),
    );
  }

  /** Records that a token's fees are below the threshold: when they reach it, the agent is told again. */
  async rearm(tokenMint: string): Promise<void> {
    await this.#db.transaction((transaction) =>
      transaction.run(sql`update tokens set fees_told_at = null where token_mint = ${tokenMint}`),
    );
  }

  /**
   * Takes or keeps the watch, which one server of a database has at a time.
   *
   * @returns false if another has it
   */
  async lease(leaseId: string, milliseconds: number): Promise<boolean> {
    const leased = await this.#db.transaction((transaction) => {
      const { now } = transaction;
      return transaction.run(sql`insert into leases as held (name, lease_id, lease_until)
        values (${WATCH_LEASE}, ${leaseId}, ${now} + ${milliseconds})
        on conflict (name) do update
          set lease_id = excluded.lease_id, lease_until = excluded.lease_until
          where held.lease_id = excluded.lease_id or held.lease_until <= ${now}
            or held.lease_until > ${now} + ${LONGEST_WATCH_MS}`);
    });
    return leased > 0;
  }

  async release(leaseId: string): Promise<void> {
    await this.#db.transaction((transaction) =>
      transaction.run(
        sql`delete from leases where name = ${WATCH_LEASE} and lease_id = ${leaseId}`,
      ),
    );
  }

  async #watched(which: SQL): Promise<WatchedToken[]> {
    const rows = await this.#db.read((session) =>
      session.all(sql<StoredToken>`${WATCHED} ${which}`),
    );
    return rows.map(({ feesToldAt, threshold, ...token }) => ({
      ...token,
      isTold: feesToldAt !== null,
      threshold: threshold === null ? null : BigInt(threshold),
    }));
  }

  /** @param update changes a token, if it is as it should be. @returns whether it did */
  async #change(
    type: EventType,
    update: (session: Session) => SQL,
    locks: readonly string[] = [],
  ): Promise<boolean> {
    const changed = await this.#db.transaction(async (transaction: Transaction) => {
      const subject = await transaction.get(sql<StoredSubject>`${update(transaction)}
        returning wallet, event_id as "eventId", ticker, token_mint as "tokenMint"`);
      if (!subject) return null;
      await addEvents(transaction, type, [{ ...subject, transactionHash: null, otherMints: [] }]);
      return subject.wallet;
    }, locks);
    if (changed !== null) this.#onEvents(changed);
    return changed !== null;
  }
}

/** Changing a wallet's thresholds and notifying by them exclude each other. */
const lockOf = (wallet: string) => [`fee thresholds of ${wallet}`];
