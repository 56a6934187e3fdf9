import type { Clock } from "../../base/clock.ts";
import type { EventType } from "../../domain/event-type.ts";
import type { OnEvents } from "../events.ts";
import {
  ALL_TOKENS,
  type FeeThreshold,
  LONGEST_WATCH_MS,
  WATCH_LEASE,
  type WatchedToken,
  type WatchStore,
} from "../watch-store.ts";
import type { Database } from "./database.ts";
import { addEvents, type EventSubject } from "./event-writer.ts";

/** The threshold of a token: its own, otherwise the one of all tokens of its wallet. */
const THRESHOLD = `coalesce(
  (select lamports from fee_thresholds as own
    where own.wallet = tokens.wallet and own.token_mint = tokens.token_mint),
  (select lamports from fee_thresholds as common
    where common.wallet = tokens.wallet and common.token_mint = '${ALL_TOKENS}'))`;

const WATCHED = `id, wallet, token_mint as tokenMint, pool_address as poolAddress,
  claimed_at as claimedAt, fees_told_at as feesToldAt, ${THRESHOLD} as threshold`;

const SUBJECT = `wallet, event_id as eventId, ticker, token_mint as tokenMint`;

interface StoredToken extends Omit<WatchedToken, "isTold" | "threshold"> {
  readonly feesToldAt: number | null;
  readonly threshold: string | null;
}

interface StoredSubject extends Pick<EventSubject, "eventId" | "ticker" | "tokenMint"> {
  readonly wallet: string;
}

/** What pools are watched for. Each call is one synchronous transaction. */
export class SqliteWatchStore implements WatchStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onEvents: OnEvents;
  readonly #unmigrated;
  readonly #wallets;
  readonly #migratedOf;
  readonly #migrate;
  readonly #tell;

  constructor(db: Database, clock: Clock, onEvents: OnEvents) {
    this.#db = db;
    this.#clock = clock;
    this.#onEvents = onEvents;
    const { $client: client } = db;
    this.#unmigrated = client.query<StoredToken, [number, number]>(
      `select ${WATCHED} from tokens where migrated_at is null and id > ? order by id limit ?`,
    );
    this.#wallets = client.query<{ wallet: string }, [string, number]>(
      "select distinct wallet from fee_thresholds where wallet > ? order by wallet limit ?",
    );
    this.#migratedOf = client.query<StoredToken, [string, number, number]>(
      `select ${WATCHED} from tokens
       where wallet = ? and id > ? and migrated_at is not null and ${THRESHOLD} is not null
       order by id limit ?`,
    );
    this.#migrate = client.query<StoredSubject, [number, string]>(
      `update tokens set migrated_at = ? where token_mint = ? and migrated_at is null
       returning ${SUBJECT}`,
    );
    this.#tell = client.query<StoredSubject, [number, string, number | null, string]>(
      `update tokens set fees_told_at = ? where token_mint = ? and fees_told_at is null
         and claimed_at is ? and ${THRESHOLD} = ? returning ${SUBJECT}`,
    );
  }

  async thresholds(wallet: string): Promise<FeeThreshold[]> {
    const rows = this.#db.$client
      .query<{ tokenMint: string; lamports: string }, [string]>(
        `select token_mint as tokenMint, lamports from fee_thresholds
         where wallet = ? order by token_mint`,
      )
      .all(wallet);
    return rows.map(({ tokenMint, lamports }) => ({
      tokenMint: tokenMint === ALL_TOKENS ? null : tokenMint,
      lamports: BigInt(lamports),
    }));
  }

  async setThreshold(wallet: string, { tokenMint, lamports }: FeeThreshold): Promise<void> {
    this.#db.$client
      .query(
        `insert into fee_thresholds (wallet, token_mint, lamports) values (?, ?, ?)
         on conflict do update set lamports = excluded.lamports`,
      )
      .run(wallet, tokenMint ?? ALL_TOKENS, lamports.toString());
  }

  async deleteThreshold(wallet: string, tokenMint: string | null): Promise<void> {
    this.#db.transaction(
      () => {
        const { $client: client } = this.#db;
        const stored = tokenMint ?? ALL_TOKENS;
        client
          .query(
            `update tokens set fees_told_at = null where wallet = $wallet and fees_told_at is not null
             and case when $mint <> '${ALL_TOKENS}' then token_mint = $mint
               else token_mint not in (select token_mint from fee_thresholds where wallet = $wallet) end`,
          )
          .run({ wallet, mint: stored });
        client
          .query("delete from fee_thresholds where wallet = ? and token_mint = ?")
          .run(wallet, stored);
      },
      { behavior: "immediate" },
    );
  }

  async unmigrated(after: number, limit: number): Promise<WatchedToken[]> {
    return this.#unmigrated.all(after, limit).map(toWatched);
  }

  async walletsWithThresholds(after: string, limit: number): Promise<string[]> {
    return this.#wallets.all(after, limit).map(({ wallet }) => wallet);
  }

  async migratedOf(wallet: string, after: number, limit: number): Promise<WatchedToken[]> {
    return this.#migratedOf.all(wallet, after, limit).map(toWatched);
  }

  async migrate(tokenMint: string): Promise<boolean> {
    return this.#change("token.migrated", (now) => this.#migrate.get(now, tokenMint));
  }

  async tellFees({ tokenMint, claimedAt, threshold }: WatchedToken): Promise<boolean> {
    if (threshold === null) return false;
    return this.#change("fees.claimable", (now) =>
      this.#tell.get(now, tokenMint, claimedAt, threshold.toString()),
    );
  }

  async rearm(tokenMint: string): Promise<void> {
    this.#db.$client
      .query("update tokens set fees_told_at = null where token_mint = ?")
      .run(tokenMint);
  }

  async lease(leaseId: string, milliseconds: number): Promise<boolean> {
    const now = this.#clock.now();
    const leased = this.#db.$client
      .query(
        `insert into leases (name, lease_id, lease_until) values (?, ?, ?)
         on conflict do update set lease_id = excluded.lease_id, lease_until = excluded.lease_until
         where lease_id = excluded.lease_id or lease_until <= ? or lease_until > ?
         returning 1 as one`,
      )
      .get(WATCH_LEASE, leaseId, now + milliseconds, now, now + LONGEST_WATCH_MS);
    return leased !== null;
  }

  async release(leaseId: string): Promise<void> {
    this.#db.$client
      .query("delete from leases where name = ? and lease_id = ?")
      .run(WATCH_LEASE, leaseId);
  }

  /** @param update changes a token, if it is as it should be. @returns whether it did */
  #change(type: EventType, update: (now: number) => StoredSubject | null): boolean {
    const now = this.#clock.now();
    const changed = this.#db.transaction(
      (tx) => {
        const subject = update(now);
        if (!subject) return null;
        const { wallet, ...about } = subject;
        addEvents(tx, wallet, type, now, [{ ...about, transactionHash: null, otherMints: [] }]);
        return wallet;
      },
      { behavior: "immediate" },
    );
    if (changed !== null) this.#onEvents(changed);
    return changed !== null;
  }
}

function toWatched({ feesToldAt, threshold, ...token }: StoredToken): WatchedToken {
  return {
    ...token,
    isTold: feesToldAt !== null,
    threshold: threshold === null ? null : BigInt(threshold),
  };
}
