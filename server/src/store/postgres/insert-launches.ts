import type { DayBudget } from "../../domain/intake.ts";
import { networkOf } from "../../domain/shares.ts";
import { inviteHash } from "../admission.ts";
import type { InsertOutcome, IntakeLimits, NewLaunch } from "../launch-intake.ts";
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import { escapeText } from "./escaped-text.ts";
import type { Decision, Intake } from "./intake.ts";
import type { IntakeBounds } from "./intake-bounds.ts";
import type { Counted, IntakeFacts } from "./intake-facts.ts";
import { SERVICE_TIME } from "./launch-waits.ts";

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

/** A launch that is accepted, and its number in the queue's order. */
interface Accepted {
  readonly launch: NewLaunch;
  readonly seq: number;
}

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

  /** See `LaunchStore.insert`. */
  async insert(
    batch: readonly NewLaunch[],
    limits: IntakeLimits,
    budget: DayBudget | null,
  ): Promise<InsertOutcome[]> {
    if (batch.length === 0) return [];
    let accepted: readonly Accepted[] = [];
    return await this.#intake.decide(
      batch.map(countedOf),
      limits,
      budget,
      async (session, bounds, facts) => {
        const decision = decide(batch, limits, bounds, facts);
        accepted = decision.accepted;
        return { ...decision, ...this.#writing(session, decision) };
      },
      () => this.#isStored(accepted),
    );
  }

  #writing(
    session: Session,
    { accepted, released, redeemed }: Decided,
  ): Pick<Decision<unknown>, "accepted" | "write"> {
    return {
      accepted: accepted.map(({ launch }) => countedOf(launch)),
      write: async () => {
        if (released.length > 0) {
          const tickers = released.map(({ ticker }) => ticker);
          await session.rows(
            RELEASE_TICKERS,
            tickers,
            released.map(({ endedBy }) => endedBy),
          );
        }
        if (redeemed.length > 0) {
          const wallets = redeemed.map(({ wallet }) => wallet);
          const codes = redeemed.map(({ codeHash }) => codeHash);
          const used = await session.rows(this.#redeem, wallets, codes);
          if (used.length < redeemed.length) return false;
        }
        const stored = await session.rows(this.#insert, ...columnsOf(accepted));
        return stored.length === accepted.length;
      },
    };
  }

  /** A transaction stores all or none: one says it of all. */
  async #isStored(accepted: readonly Accepted[]): Promise<boolean> {
    const ids = accepted.map(({ launch }) => launch.eventId);
    if (ids.length === 0) return true;
    return (await this.#db.read((session) => session.rows(STORED, ids))).length > 0;
  }
}

interface Decided {
  readonly outcomes: InsertOutcome[];
  readonly accepted: readonly Accepted[];
  /** Those whose invite is used up with their launch. */
  readonly redeemed: readonly Counted[];
  /** Tickers to be taken from launches that ended at `endedBy` or before. */
  readonly released: readonly { readonly ticker: string; readonly endedBy: number }[];
}

function decide(
  batch: readonly NewLaunch[],
  { tickerHoldMs }: IntakeLimits,
  bounds: IntakeBounds,
  facts: IntakeFacts,
): Decided {
  const known = new Map(facts.keys.map((it) => [keyOf(it.wallet, it.key), it]));
  const held = new Map(facts.tickers.map(({ ticker, endedAt }) => [ticker, endedAt]));
  const images = new Set(facts.images);
  const accepted: Accepted[] = [];
  const redeemed: Counted[] = [];
  const released: { ticker: string; endedBy: number }[] = [];
  const outcomes = batch.map((launch, index): InsertOutcome => {
    const { wallet, ticker, eventId, idempotency, createdAt } = launch;
    const id = idempotency && keyOf(wallet, idempotency.key);
    const same = id === null ? undefined : known.get(id);
    if (same && idempotency) {
      return same.requestHash === idempotency.requestHash
        ? { kind: "replayed", eventId: same.eventId }
        : { kind: "key_reused" };
    }
    if (launch.imageHash !== null && !images.has(launch.imageHash)) return { kind: "image_gone" };
    const counted = countedOf(launch);
    const refusal = bounds.admissionRefusal(counted) ?? bounds.countRefusal(counted, true);
    if (refusal !== null) return { kind: refusal };
    const endedBy = createdAt - tickerHoldMs;
    const endedAt = held.get(ticker);
    if (endedAt !== undefined) {
      if (endedAt === null || endedAt > endedBy) return { kind: "ticker_taken" };
      released.push({ ticker, endedBy });
    }
    held.set(ticker, null);
    if (id !== null && idempotency) {
      known.set(id, {
        wallet,
        key: idempotency.key,
        eventId,
        requestHash: idempotency.requestHash,
      });
    }
    if (bounds.redeem(counted)) redeemed.push(counted);
    bounds.accept(counted, true);
    accepted.push({ launch, seq: facts.drawn[index] as number });
    return { kind: "stored", eventId };
  });
  return { outcomes, accepted, redeemed, released };
}

function countedOf(launch: NewLaunch): Counted {
  const { wallet, ticker, idempotency, address, createdAt, inviteCode = null } = launch;
  return {
    ...{ wallet, ticker, key: idempotency?.key ?? null, address, now: createdAt },
    codeHash: inviteCode === null ? null : inviteHash(inviteCode),
    objection: launch.objection ?? null,
    imageHash: launch.imageHash,
  };
}

const keyOf = (wallet: string, key: string) => `${wallet} ${key}`;

function columnsOf(accepted: readonly Accepted[]): unknown[][] {
  const column = (read: (launch: NewLaunch) => unknown) =>
    accepted.map(({ launch }) => read(launch));
  const text = (stored: string | null) => (stored === null ? null : escapeText(stored));
  return [
    column(({ eventId }) => eventId),
    accepted.map(({ seq }) => seq),
    column(({ wallet }) => wallet),
    column(({ name }) => text(name)),
    column(({ ticker }) => ticker),
    column(({ description }) => text(description)),
    column(({ imageUrl }) => text(imageUrl)),
    column(({ createdAt }) => createdAt),
    column(({ idempotency }) => idempotency?.key ?? null),
    column(({ idempotency }) => idempotency?.requestHash ?? null),
    column(({ address }) => address),
    column(({ address }) => (address === null ? null : networkOf(address))),
    column(({ website }) => website),
    column(({ twitter }) => twitter),
    column(({ telegram }) => telegram),
    column(({ imageHash }) => imageHash),
    column(({ onChainName = null }) => text(onChainName)),
  ];
}
