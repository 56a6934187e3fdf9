import type { LaunchRow, OnEnded } from "../launch-row.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { escapeText } from "./escaped-text.ts";

/** What a launch needs only while it is in the queue. Its signature stays. */
const CLEARED = `lease_id = null, lease_until = null, transaction = null, address = null,
  reserved_lamports = null, reserved_day = null`;

const HAS_LAUNCHED_ON: Statement = {
  name: "has_launched_on",
  text: "select 1 as one from launches where status = 'success' and wallet = $1 and day = $2 limit 1",
};

/** The statements that settle a launch: success, failed, rate_limited. */
export class LaunchOutcomes {
  readonly #db: PostgresDatabase;
  readonly #onEnded: OnEnded;
  readonly #succeed: Statement;
  readonly #fail: Statement;
  readonly #limit: Statement;
  readonly #refuse: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, onEnded: OnEnded) {
    this.#db = db;
    this.#onEnded = onEnded;
    // The update comes first: the wallet's next launch can be leased only after this commit, so its
    // token gets a greater id in a later one.
    this.#succeed = {
      name: "succeed",
      text: `with ended as (
          update launches
          set status = 'success', processed_at = ${time}, token_mint = $3, pool_address = $4, ${CLEARED}
          where event_id = $1 and lease_id = $2 and status = 'pending'
          returning event_id, wallet, ticker, name, processed_at)
        insert into tokens (token_mint, pool_address, event_id, wallet, ticker, name, deployed_at)
        select $3, $4, event_id, wallet, ticker, name, processed_at from ended
        returning 1 as one`,
    };
    // What ended without a transaction took nothing, so it does not count as started.
    const forgotten = `forgotten as (
        delete from launch_starts using ended
        where launch_starts.event_id = ended.event_id and ended.signature is null)`;
    this.#fail = {
      name: "fail",
      text: `with ended as (
          update launches set status = 'failed', error = $3, processed_at = ${time}, ${CLEARED}
          where event_id = $1 and lease_id = $2 and status = 'pending'
          returning event_id, wallet, signature),
        ${forgotten},
        behind as (
          update launches set run_at = greatest(run_at, ${time}) where event_id = (
            select next.event_id from launches as next join ended on ended.wallet = next.wallet
            where next.status = 'pending' and next.event_id <> ended.event_id
            order by next.seq limit 1 for update of next skip locked))
        select 1 as one from ended`,
    };
    const endAll = (status: string) => ({
      name: `end_all_${status}`,
      text: `with ended as (
          update launches set status = '${status}', error = $3, processed_at = ${time}, ${CLEARED}
          where status = 'pending' and wallet = $1
            and (lease_id = $2 or (lease_id is null and signature is null))
          returning event_id, signature),
        ${forgotten}
        select 1 as one from ended`,
    });
    this.#limit = endAll("rate_limited");
    this.#refuse = endAll("failed");
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

  /** Ends the leased launch of this wallet as `failed`, and all that wait behind it. */
  async refuse(wallet: string, leaseId: string, error: string): Promise<void> {
    this.#onEnded("failed", await this.#end(this.#refuse, wallet, leaseId, escapeText(error)));
  }

  /** @returns whether a launch of this wallet that belongs to this UTC day has succeeded */
  async hasLaunchedOn(wallet: string, day: string): Promise<boolean> {
    const rows = await this.#db.read((session) => session.rows(HAS_LAUNCHED_ON, wallet, day));
    return rows.length > 0;
  }

  /** @returns how many launches it ended */
  async #end(statement: Statement, ...values: readonly unknown[]): Promise<number> {
    return (await this.#db.write((session) => session.rows(statement, ...values))).length;
  }
}
