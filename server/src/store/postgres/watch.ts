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
import type { PostgresDatabase, Statement } from "./database.ts";
import { addEvents } from "./event-writer.ts";
import { lockAll } from "./locks.ts";

/** The threshold of a token: its own, otherwise the one of all tokens of its wallet. */
const THRESHOLD = `coalesce(
  (select lamports from fee_thresholds as own
    where own.wallet = tokens.wallet and own.token_mint = tokens.token_mint),
  (select lamports from fee_thresholds as common
    where common.wallet = tokens.wallet and common.token_mint = '${ALL_TOKENS}'))`;

const WATCHED = `id, wallet, token_mint as "tokenMint", pool_address as "poolAddress",
  claimed_at as "claimedAt", fees_told_at is not null as "isTold", ${THRESHOLD} as threshold`;

const THRESHOLDS: Statement = {
  name: "fee_thresholds",
  text: `select token_mint as "tokenMint", lamports from fee_thresholds
    where wallet = $1 order by token_mint collate "C"`,
};

const SET: Statement = {
  name: "set_fee_threshold",
  text: `insert into fee_thresholds (wallet, token_mint, lamports) values ($1, $2, $3)
    on conflict (wallet, token_mint) do update set lamports = excluded.lamports`,
};

const FORGET_TOLD: Statement = {
  name: "forget_told_fees",
  text: `update tokens set fees_told_at = null where wallet = $1 and fees_told_at is not null
    and case when $2 <> '${ALL_TOKENS}' then token_mint = $2
      else token_mint not in (select token_mint from fee_thresholds where wallet = $1) end`,
};

const DELETE: Statement = {
  name: "delete_fee_threshold",
  text: "delete from fee_thresholds where wallet = $1 and token_mint = $2",
};

const UNMIGRATED: Statement = {
  name: "unmigrated_tokens",
  text: `select ${WATCHED} from tokens where migrated_at is null and id > $1 order by id limit $2`,
};

const WALLETS: Statement = {
  name: "wallets_with_thresholds",
  text: "select distinct wallet from fee_thresholds where wallet > $1 order by wallet limit $2",
};

const MIGRATED_OF: Statement = {
  name: "migrated_tokens_of_wallet",
  text: `select ${WATCHED} from tokens
    where wallet = $1 and id > $2 and migrated_at is not null and ${THRESHOLD} is not null
    order by id limit $3`,
};

const REARM: Statement = {
  name: "rearm_fees",
  text: "update tokens set fees_told_at = null where token_mint = $1",
};

const RELEASE: Statement = {
  name: "release_watch",
  text: "delete from leases where name = $1 and lease_id = $2",
};

interface StoredToken extends Omit<WatchedToken, "threshold"> {
  readonly threshold: string | null;
}

/** What pools are watched for, by one server of the database at a time. */
export class PostgresWatchStore implements WatchStore {
  readonly #db: PostgresDatabase;
  readonly #onEvents: OnEvents;
  readonly #migrate: Statement;
  readonly #tell: Statement;
  readonly #lease: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, onEvents: OnEvents) {
    this.#db = db;
    this.#onEvents = onEvents;
    this.#migrate = changeOf(
      "token.migrated",
      `update tokens set migrated_at = ${time} where token_mint = $1 and migrated_at is null`,
      "migrated_at",
    );
    this.#tell = changeOf(
      "fees.claimable",
      `update tokens set fees_told_at = ${time} where token_mint = $1 and fees_told_at is null
        and claimed_at is not distinct from $2::bigint and ${THRESHOLD} = $3::numeric`,
      "fees_told_at",
    );
    this.#lease = {
      name: "lease_watch",
      text: `insert into leases as held (name, lease_id, lease_until)
        values ($1, $2, ${time} + $3::bigint)
        on conflict (name) do update
          set lease_id = excluded.lease_id, lease_until = excluded.lease_until
          where held.lease_id = excluded.lease_id or held.lease_until <= ${time}
            or held.lease_until > ${time} + ${LONGEST_WATCH_MS}
        returning 1 as one`,
    };
  }

  async thresholds(wallet: string): Promise<FeeThreshold[]> {
    const rows = await this.#db.read((session) =>
      session.rows<{ tokenMint: string; lamports: string }>(THRESHOLDS, wallet),
    );
    return rows.map(({ tokenMint, lamports }) => ({
      tokenMint: tokenMint === ALL_TOKENS ? null : tokenMint,
      lamports: BigInt(lamports),
    }));
  }

  async setThreshold(wallet: string, { tokenMint, lamports }: FeeThreshold): Promise<void> {
    const row = [wallet, tokenMint ?? ALL_TOKENS, lamports.toString()];
    await this.#db.transaction((session) => session.rows(SET, ...row), lockOf(wallet));
  }

  async deleteThreshold(wallet: string, tokenMint: string | null): Promise<void> {
    const stored = tokenMint ?? ALL_TOKENS;
    await this.#db.transaction(async (session) => {
      await session.rows(FORGET_TOLD, wallet, stored);
      await session.rows(DELETE, wallet, stored);
    }, lockOf(wallet));
  }

  async unmigrated(after: number, limit: number): Promise<WatchedToken[]> {
    return this.#watched(UNMIGRATED, after, limit);
  }

  async walletsWithThresholds(after: string, limit: number): Promise<string[]> {
    const rows = await this.#db.read((session) =>
      session.rows<{ wallet: string }>(WALLETS, after, limit),
    );
    return rows.map(({ wallet }) => wallet);
  }

  async migratedOf(wallet: string, after: number, limit: number): Promise<WatchedToken[]> {
    return this.#watched(MIGRATED_OF, wallet, after, limit);
  }

  async migrate(tokenMint: string): Promise<boolean> {
    return this.#change("", this.#migrate, tokenMint);
  }

  async tellFees({ wallet, tokenMint, claimedAt, threshold }: WatchedToken): Promise<boolean> {
    if (threshold === null) return false;
    const seen = [tokenMint, claimedAt, threshold.toString()];
    return this.#change(lockOf(wallet), this.#tell, ...seen);
  }

  async rearm(tokenMint: string): Promise<void> {
    await this.#db.transaction((session) => session.rows(REARM, tokenMint));
  }

  async lease(leaseId: string, milliseconds: number): Promise<boolean> {
    const leased = await this.#db.transaction((session) =>
      session.rows(this.#lease, WATCH_LEASE, leaseId, milliseconds),
    );
    return leased.length > 0;
  }

  async release(leaseId: string): Promise<void> {
    await this.#db.transaction((session) => session.rows(RELEASE, WATCH_LEASE, leaseId));
  }

  async #watched(statement: Statement, ...values: readonly unknown[]): Promise<WatchedToken[]> {
    const rows = await this.#db.read((session) => session.rows<StoredToken>(statement, ...values));
    return rows.map(({ threshold, ...token }) => ({
      ...token,
      threshold: threshold === null ? null : BigInt(threshold),
    }));
  }

  /** @returns whether the statement changed a token */
  async #change(
    locks: string,
    statement: Statement,
    ...values: readonly unknown[]
  ): Promise<boolean> {
    const [changed] = await this.#db.transaction(
      (session) => session.rows<{ wallet: string }>(statement, ...values),
      locks,
    );
    if (changed) this.#onEvents(changed.wallet);
    return changed !== undefined;
  }
}

/** Whoever changes a wallet's thresholds and whoever tells by them take turns. */
function lockOf(wallet: string): string {
  return lockAll([`fee thresholds of ${wallet}`]);
}

/** @param update changes a token, and sets the column `at` to the time */
function changeOf(type: EventType, update: string, at: string): Statement {
  return {
    name: `watch ${type}`,
    text: `with changed as (
        ${update}
        returning wallet, ${at} as at, 1 as place, event_id, ticker, token_mint,
          null::text as transaction_hash, '[]' as other_mints),
      ${addEvents(type, "changed")}
      select wallet from changed`,
  };
}
