import type { Clock } from "../../base/clock.ts";
import {
  handOut,
  handOutLaunch,
  insertLaunch,
  insertToken,
  lease,
  submit,
  takeLaunch,
} from "../../testing/launches.ts";
import type { LaunchRow, NewLaunch } from "../launch-row.ts";
import type { NewPrepared, PreparedLaunch, PreparedRow } from "../prepared.ts";
import type { Store } from "../store.ts";
import type { TokenRow } from "../tokens.ts";
import type { TestDatabase } from "./engine.ts";

export class TestStore {
  #database: TestDatabase | null = null;

  get database(): TestDatabase {
    if (!this.#database) throw new Error("no test runs");
    return this.#database;
  }

  set database(database: TestDatabase) {
    this.#database = database;
  }

  get store(): Store {
    return this.database.store;
  }

  get launches(): Store["launches"] {
    return this.store.launches;
  }

  get clock(): Pick<Clock, "now"> {
    return this.database;
  }

  now(): number {
    return this.database.now();
  }

  setTime(now: number): Promise<void> {
    return this.database.setTime(now);
  }

  /** Moves the time by this many milliseconds; a negative number sets it back. */
  advance(milliseconds: number): Promise<void> {
    return this.setTime(this.now() + milliseconds);
  }

  /** Stores a launch, by default of the wallet `agent`. Returns its event id. */
  insert(ticker: string, other?: Partial<NewLaunch>): Promise<string> {
    return insertLaunch(this, ticker, other);
  }

  lease(leaseId: string): Promise<LaunchRow | null> {
    return lease(this, leaseId);
  }

  take(ticker: string, leaseId = "holder", other: Partial<NewLaunch> = {}): Promise<LaunchRow> {
    return takeLaunch(this, ticker, { ...other, leaseId });
  }

  /** Stores a launch that fails at once. Returns its event id. */
  async insertFailed(ticker: string, other: Partial<NewLaunch> = {}): Promise<string> {
    const { eventId } = await this.take(ticker, ticker, other);
    await this.launches.fail(eventId, ticker, { message: "refused" });
    return eventId;
  }

  insertToken(ticker: string, other?: Partial<NewLaunch>): Promise<TokenRow> {
    return insertToken(this, ticker, other);
  }

  /** Hands out a transaction, by default a claim of the token `mint-ONE`. */
  handOut(messageHash: string, other?: Partial<NewPrepared>): Promise<PreparedRow> {
    return handOut(this, messageHash, other);
  }

  handOutLaunch(ticker: string, other?: Partial<NewLaunch & NewPrepared>): Promise<PreparedLaunch> {
    return handOutLaunch(this, ticker, other);
  }

  submit(row: Parameters<typeof submit>[1], other?: Parameters<typeof submit>[2]) {
    return submit(this, row, other);
  }

  async submitted(messageHash: string, other?: Partial<NewPrepared>): Promise<PreparedRow> {
    const row = await this.handOut(messageHash, other);
    await this.submit(row);
    return row;
  }
}
