import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import { decideInserts, type InsertDecision, requestOf } from "../insert-decision.ts";
import type { InsertOutcome, NewLaunch } from "../launch-intake.ts";
import { SERVICE_TIME } from "../launch-queue.ts";
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import type { Intake } from "./intake.ts";

const STORED: Statement = {
  name: "stored_launches",
  text: "select 1 as one from launches where event_id = any($1::text[]) limit 1",
};

/** Takes tickers from launches that ended without a token, at $2 or earlier. */
const RELEASE_TICKERS: Statement = {
  name: "release_tickers",
  text: `update launches set ticker_released = 1 where event_id in (
      select event_id from launches
      join unnest($1::text[], $2::bigint[]) as wanted (ticker, ended_by)
        on wanted.ticker = launches.ticker
      where ticker_released = 0 and status in ('failed', 'rate_limited')
        and processed_at <= ended_by
      order by launches.ticker for update of launches)`,
};

/** Uses up invites $2 for wallets $1, which have none; fewer rows if another server was faster. */
const redeemText = (time: string) => `with redeemed as (
      select * from unnest($1::text[], $2::text[]) as it (wallet, code_hash)),
    used as (
      update invites set uses = uses + needed.n
      from (select code_hash, count(*) as n from redeemed group by code_hash) as needed
      where invites.code_hash = needed.code_hash and uses + needed.n <= max_uses
        and revoked_at is null
      returning invites.id, invites.code_hash)
    insert into agent_rules (wallet, invited_at, invite_id)
    select wallet, ${time}, used.id from redeemed join used using (code_hash) order by wallet
    on conflict (wallet) do update
    set invited_at = excluded.invited_at, invite_id = excluded.invite_id
    where agent_rules.invited_at is null
    returning 1 as one`;

/** Puts new launches in the queue. Every decision is made in the transaction that stores them. */
export class InsertLaunches {
  readonly #db: PostgresDatabase;
  readonly #intake: Intake;
  readonly #insert: Statement;
  readonly #redeem: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, intake: Intake, time: string) {
    this.#db = db;
    this.#intake = intake;
    this.#redeem = { name: "redeem_with_launches", text: redeemText(time) };
    // In the order of tickers, so that two servers do not wait for each other's. What a server
    // creates by a clock that is ahead is due at once all the same.
    this.#insert = {
      name: "insert_launches",
      text: `insert into launches (event_id, seq, wallet, name, ticker, description, image_url,
          created_at, run_at, idempotency_key, request_hash, address, network, website,
          twitter, telegram, image_hash, on_chain_name, queued_at)
        select event_id, seq, wallet, name, ticker, description, image_url, created_at,
          least(created_at, ${time}), idempotency_key, request_hash, address, network,
          website, twitter, telegram, image_hash, on_chain_name, ${SERVICE_TIME}
        from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
          $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[],
          $13::text[], $14::text[], $15::text[], $16::text[], $17::text[])
          as launch (event_id, seq, wallet, name, ticker, description, image_url, created_at,
            idempotency_key, request_hash, address, network, website, twitter, telegram, image_hash,
            on_chain_name)
        order by ticker
        on conflict do nothing returning 1 as one`,
    };
  }

  /** See `Launches.insert`. */
  async insert(launches: readonly NewLaunch[], limits: IntakeLimits): Promise<InsertOutcome[]> {
    if (launches.length === 0) return [];
    let accepted: readonly NewLaunch[] = [];
    return await this.#intake.decide(
      launches.map(requestOf),
      limits,
      async (session, batch, { drawn, ...facts }) => {
        const decision = decideInserts(launches, batch, { ...facts, ...limits });
        accepted = decision.accepted;
        const seqOf = (launch: NewLaunch) => drawn[launches.indexOf(launch)] as number;
        return {
          outcomes: decision.outcomes,
          accepted: accepted.map(requestOf),
          write: () => this.#write(session, decision, accepted.map(seqOf)),
        };
      },
      () => this.#isStored(accepted),
    );
  }

  async #write(
    session: Session,
    { accepted, released, redeemed }: InsertDecision,
    seqs: readonly number[],
  ): Promise<boolean> {
    if (released.length > 0) {
      const tickers = released.map(({ ticker }) => ticker);
      const endedBy = released.map((it) => it.endedBy);
      await session.rows(RELEASE_TICKERS, tickers, endedBy);
    }
    if (redeemed.length > 0) {
      const wallets = redeemed.map(({ wallet }) => wallet);
      const codes = redeemed.map(({ codeHash }) => codeHash);
      const used = await session.rows(this.#redeem, wallets, codes);
      if (used.length < redeemed.length) return false;
    }
    const stored = await session.rows(this.#insert, ...columnsOf(accepted, seqs));
    return stored.length === accepted.length;
  }

  /** A transaction stores all or none: one says it of all. */
  async #isStored(accepted: readonly NewLaunch[]): Promise<boolean> {
    const ids = accepted.map(({ eventId }) => eventId);
    if (ids.length === 0) return true;
    return (await this.#db.read((session) => session.rows(STORED, ids))).length > 0;
  }
}

function columnsOf(accepted: readonly NewLaunch[], seqs: readonly number[]): unknown[][] {
  const column = (read: (launch: NewLaunch) => unknown) => accepted.map(read);
  return [
    column(({ eventId }) => eventId),
    [...seqs],
    column(({ wallet }) => wallet),
    column(({ name }) => name),
    column(({ ticker }) => ticker),
    column(({ description }) => description),
    column(({ imageUrl }) => imageUrl),
    column(({ createdAt }) => createdAt),
    column(({ idempotency }) => idempotency?.key ?? null),
    column(({ idempotency }) => idempotency?.requestHash ?? null),
    column(({ address }) => address),
    column(({ address }) => (address === null ? null : networkOf(address))),
    column(({ website }) => website),
    column(({ twitter }) => twitter),
    column(({ telegram }) => telegram),
    column(({ imageHash }) => imageHash),
    column(({ onChainName = null }) => onChainName),
  ];
}
