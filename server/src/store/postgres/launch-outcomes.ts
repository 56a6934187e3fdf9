import type { OnEvents } from "../event-store.ts";
import type { LaunchRow, OnEnded } from "../launch-row.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { escapeText } from "./escaped-text.ts";
import { addEvents } from "./event-writer.ts";

/** What a launch needs only while it is in the queue. Its signature stays. */
const CLEARED = `lease_id = null, lease_until = null, transaction = null, address = null,
  reserved_lamports = null, reserved_day = null`;

/** What the event of a launch that has ended is about. */
const SUBJECT = `wallet, processed_at as at, seq as place, event_id, ticker,
  case when status = 'success' then token_mint end as token_mint, null::text as transaction_hash,
  '[]' as other_mints`;

const HAS_LAUNCHED_ON: Statement = {
  name: "has_launched_on",
  text: "select 1 as one from launches where status = 'success' and wallet = $1 and day = $2 limit 1",
};

/** The statements that settle a launch: success, failed, rate_limited. */
export class LaunchOutcomes {
  readonly #db: PostgresDatabase;
  readonly #onEnded: OnEnded;
  readonly #onEvents: OnEvents;
  readonly #succeed: Statement;
  readonly #fail: Statement;
  readonly #limit: Statement;

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
        ${addEvents("launch.succeeded", "ended")}
        insert into tokens (token_mint, pool_address, event_id, wallet, ticker, name, deployed_at)
        select $3, $4, event_id, wallet, ticker, name, at from ended
        returning wallet`,
    };
    this.#fail = {
      name: "fail",
      text: `with ended as (
          update launches set status = 'failed', error = $3, processed_at = ${time}, ${CLEARED}
          where event_id = $1 and lease_id = $2 and status = 'pending'
          returning ${SUBJECT}),
        ${addEvents("launch.failed", "ended")}
        select wallet from ended`,
    };
    this.#limit = {
      name: "limit",
      text: `with ended as (
          update launches
          set status = 'rate_limited', error = $3, processed_at = ${time}, ${CLEARED}
          where status = 'pending' and wallet = $1
            and (lease_id = $2 or (lease_id is null and signature is null))
          returning ${SUBJECT}),
        ${addEvents("launch.rate_limited", "ended")}
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
    const ended = await this.#end(this.#fail, eventId, leaseId, escapeText(error));
    if (ended > 0) this.#onEnded("failed", ended);
    return ended > 0;
  }

  /** Ends the leased launch of this wallet as `rate_limited`, and all that wait behind it. */
  async limit(wallet: string, leaseId: string, error: string): Promise<void> {
    this.#onEnded("rate_limited", await this.#end(this.#limit, wallet, leaseId, escapeText(error)));
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
