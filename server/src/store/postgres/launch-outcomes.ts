import type { OnEvents } from "../events.ts";
import type { LaunchRow, OnEnded } from "../launch-row.ts";
import type { CancelOutcome, WaitingLaunches } from "../launch-store.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { addEvents } from "./event-writer.ts";
import { utcDayOf } from "./server-time.ts";
import { LOCK as SPENDING_LOCK } from "./spending.ts";

/** What a launch needs only while it is in the queue. Its signature stays, and with a token what it took. */
const CLEARED = `lease_id = null, lease_until = null, transaction = null, address = null, network = null,
  reserved_day = null, waiting_for = null, waiting_since = null`;
const WITHOUT_TOKEN = `reserved_lamports = null, ${CLEARED}`;

const FIND_CANCELLABLE: Statement = {
  name: "find_cancellable",
  text: `select status, signature, error from launches
    where event_id = $1 and wallet = $2 for update`,
};

const FIND_WAITING: Statement = {
  name: "find_waiting",
  text: `select event_id as "eventId" from launches where status = 'pending' and signature is null
      and ($1::text is null or wallet = $1) and ($2::text is null or address = $2)
      and ($3::text is null or network = $3) and ($4::bigint is null or created_at >= $4)
      and ($5::bigint is null or created_at <= $5) and ($6::bigint is null or queued_at <= $6)
    order by seq for update`,
};

/** What the event of a launch that has ended is about. */
const SUBJECT = `wallet, processed_at as at, seq as place, event_id, ticker,
  case when status = 'success' then token_mint end as token_mint,
  case when status = 'success' then signature end as transaction_hash,
  '[]' as other_mints`;

const HAS_LAUNCHED_ON: Statement = {
  name: "has_launched_on",
  text: "select 1 as one from launches where status = 'success' and wallet = $1 and day = $2 limit 1",
};

/** What decides whether a launch can be cancelled; the error as it is stored. */
type Cancellable = Pick<LaunchRow, "status" | "signature" | "error">;

/** The statements that settle a launch: success, failed, rate_limited. */
export class LaunchOutcomes {
  readonly #db: PostgresDatabase;
  readonly #onEnded: OnEnded;
  readonly #onEvents: OnEvents;
  readonly #succeed: Statement;
  readonly #fail: Statement;
  readonly #limit: Statement;
  readonly #refuse: Statement;
  readonly #giveBack: Statement;
  readonly #cancel: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, onEnded: OnEnded, onEvents: OnEvents) {
    this.#db = db;
    this.#onEnded = onEnded;
    this.#onEvents = onEvents;
    // The update comes first: the wallet's next launch can be leased only after this commit, so its
    // token gets a greater id in a later one.
    this.#succeed = {
      name: "succeed",
      text: `with ended as (
          update launches
          set status = 'success', processed_at = ${time}, token_mint = $3, pool_address = $4, ${CLEARED}
          where event_id = $1 and lease_id = $2 and status = 'pending'
          returning name, ${SUBJECT}),
        launched as (
          insert into address_launches (day, address, launches, launched)
          select ${utcDayOf(time)}, holder, 0, 1
          from launches, unnest(array[address, network]) as holder
          where event_id = (select event_id from ended) and network is not null
          order by holder
          on conflict (day, address) do update set launched = address_launches.launched + 1),
        ${addEvents("launch.succeeded", "ended")}
        insert into tokens (token_mint, pool_address, event_id, wallet, ticker, name, deployed_at)
        select $3, $4, event_id, wallet, ticker, name, at from ended
        returning wallet`,
    };
    // What ended without a transaction took nothing, so it does not count as started.
    const forgotten = `forgotten as (
        delete from launch_starts using ended
        where launch_starts.event_id = ended.event_id and ended.signature is null)`;
    this.#fail = {
      name: "fail",
      text: `with ended as (
          update launches set status = 'failed', error = $3, processed_at = ${time}, ${WITHOUT_TOKEN}
          where event_id = $1 and lease_id = $2 and status = 'pending'
          returning signature, ${SUBJECT}),
        ${forgotten},
        behind as (
          update launches set run_at = greatest(run_at, ${time}) where event_id = (
            select next.event_id from launches as next join ended on ended.wallet = next.wallet
            where next.status = 'pending' and next.event_id <> ended.event_id
            order by next.seq limit 1 for update of next skip locked)),
        ${addEvents("launch.failed", "ended")}
        select wallet from ended`,
    };
    const endAll = (status: "failed" | "rate_limited") => ({
      name: `end_all_${status}`,
      text: `with ended as (
          update launches set status = '${status}', error = $3, processed_at = ${time}, ${WITHOUT_TOKEN}
          where status = 'pending' and wallet = $1
            and (lease_id = $2 or (lease_id is null and signature is null))
          returning signature, ${SUBJECT}),
        ${forgotten},
        ${addEvents(`launch.${status}`, "ended")}
        select wallet from ended`,
    });
    this.#limit = endAll("rate_limited");
    this.#refuse = endAll("failed");
    this.#giveBack = {
      name: "give_back",
      text: `update spending set lamports = spending.lamports - own.lamports
        from (select reserved_day as day, sum(reserved_lamports) as lamports from launches
          where event_id = any($1::text[]) and reserved_lamports is not null
          group by reserved_day) as own
        where spending.day = own.day and spending.day = ${utcDayOf(time)}`,
    };
    this.#cancel = {
      name: "cancel",
      text: `with ended as (
          update launches set status = 'failed', error = $2, processed_at = ${time},
            ticker_released = 1, ${WITHOUT_TOKEN}
          where event_id = any($1::text[])
          returning signature, ${SUBJECT}),
        ${forgotten},
        ${addEvents("launch.failed", "ended")}
        select wallet from ended`,
    };
  }

  /** Ends a launch with its token, both or neither. */
  async succeed(
    { eventId }: LaunchRow,
    leaseId: string,
    { tokenMint, poolAddress }: { readonly tokenMint: string; readonly poolAddress: string },
  ): Promise<boolean> {
    const ended = await this.#end(this.#succeed, eventId, leaseId, tokenMint, poolAddress);
    if (ended > 0) this.#onEnded("success", ended);
    return ended > 0;
  }

  /** Ends a launch without a token. */
  async fail(eventId: string, leaseId: string, error: string): Promise<boolean> {
    const ended = await this.#end(this.#fail, eventId, leaseId, error);
    if (ended > 0) this.#onEnded("failed", ended);
    return ended > 0;
  }

  /** See `LaunchStore.cancel`. */
  async cancel(wallet: string, eventId: string, error: string): Promise<CancelOutcome> {
    // Under the lock of all who change reservations. The row stays locked from the first statement on:
    // a worker signs before it, and then nothing is cancelled, or finds its lease lost.
    const { outcome, cancelled } = await this.#db.transaction(async (session) => {
      const [launch] = await session.rows<Cancellable>(FIND_CANCELLABLE, eventId, wallet);
      const refusal = launch ? refusalOf(launch, error) : { kind: "unknown" as const };
      if (refusal !== null) return { outcome: refusal, cancelled: 0 };
      await session.rows(this.#giveBack, [eventId]);
      const ended = await session.rows(this.#cancel, [eventId], error);
      return { outcome: { kind: "cancelled" as const }, cancelled: ended.length };
    }, SPENDING_LOCK);
    if (cancelled > 0) {
      this.#onEnded("failed", cancelled);
      this.#onEvents(wallet);
    }
    return outcome;
  }

  /** See `LaunchStore.endWaiting`. The rows are locked like that of one that is cancelled. */
  async endWaiting(
    { wallet, address, network, since, until, queuedBy }: WaitingLaunches,
    error: string,
  ): Promise<number> {
    const ended = await this.#db.transaction(async (session) => {
      const filter = [wallet, address, network, since, until, queuedBy];
      const found = await session.rows<{ eventId: string }>(FIND_WAITING, ...filter);
      if (found.length === 0) return [];
      const ids = found.map(({ eventId }) => eventId);
      await session.rows(this.#giveBack, ids);
      return await session.rows<{ wallet: string }>(this.#cancel, ids, error);
    }, SPENDING_LOCK);
    if (ended.length > 0) this.#onEnded("failed", ended.length);
    for (const one of new Set(ended.map((launch) => launch.wallet))) this.#onEvents(one);
    return ended.length;
  }

  /** Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it. */
  async limit(wallet: string, leaseId: string, error: string): Promise<void> {
    this.#onEnded("rate_limited", await this.#end(this.#limit, wallet, leaseId, error));
  }

  /** Ends the leased launch of this wallet as `failed`, and all that wait behind it. */
  async refuse(wallet: string, leaseId: string, error: string): Promise<void> {
    this.#onEnded("failed", await this.#end(this.#refuse, wallet, leaseId, error));
  }

  /** @returns whether a launch of this wallet that belongs to this UTC day has succeeded */
  async hasLaunchedOn(wallet: string, day: string): Promise<boolean> {
    const rows = await this.#db.read((session) => session.rows(HAS_LAUNCHED_ON, wallet, day));
    return rows.length > 0;
  }

  /** @returns how many launches it ended */
  async #end(statement: Statement, ...values: readonly unknown[]): Promise<number> {
    const ended = await this.#db.write((session) =>
      session.rows<{ wallet: string }>(statement, ...values),
    );
    if (ended[0]) this.#onEvents(ended[0].wallet);
    return ended.length;
  }
}

/** @returns null if the launch can be cancelled */
function refusalOf({ status, signature, error }: Cancellable, by: string): CancelOutcome | null {
  if (status === "failed" && error === by) return { kind: "cancelled" };
  if (status !== "pending") return { kind: "ended", status };
  return signature === null ? null : { kind: "signed" };
}
