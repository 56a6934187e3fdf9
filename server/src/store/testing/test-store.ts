import type { NewLaunch } from "../launch-intake.ts";
import type { LaunchRow } from "../launch-row.ts";
import type { Store } from "../store.ts";
import type { TokenRow } from "../token-store.ts";
import type { TestDatabase } from "./engine.ts";
import { newAttempt, newLaunch } from "./rows.ts";

export const LEASE_MS = 60_000;

/** The store of the current test, and the steps that tests are made of. */
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

  now(): number {
    return this.database.now();
  }

  setTime(now: number): Promise<void> {
    return this.database.setTime(now);
  }

  /** Moves the time by so many milliseconds; a negative number sets it back. */
  advance(milliseconds: number): Promise<void> {
    return this.setTime(this.now() + milliseconds);
  }

  /** Stores a launch, by default of the wallet `agent`. @returns its event id */
  async insert(ticker: string, other: Partial<NewLaunch> = {}): Promise<string> {
    const launch = newLaunch(ticker, { createdAt: this.now(), ...other });
    const [outcome] = await this.launches.insert([launch]);
    if (outcome?.kind !== "stored") throw new Error(`${ticker}: ${outcome?.kind}`);
    return launch.eventId;
  }

  /** Leases the next launch that is due. */
  lease(leaseId: string): Promise<LaunchRow | null> {
    return this.launches.lease(leaseId, LEASE_MS);
  }

  /** Stores a launch and leases it. */
  async take(
    ticker: string,
    leaseId = "holder",
    other: Partial<NewLaunch> = {},
  ): Promise<LaunchRow> {
    await this.insert(ticker, other);
    const launch = await this.lease(leaseId);
    if (launch?.ticker !== ticker) throw new Error(`${ticker} is not the next that is due`);
    return launch;
  }

  /** Stores a launch that fails at once. @returns its event id */
  async insertFailed(ticker: string, other: Partial<NewLaunch> = {}): Promise<string> {
    const { eventId } = await this.take(ticker, ticker, other);
    await this.launches.fail(eventId, ticker, "refused");
    return eventId;
  }

  /** Stores a launch that has succeeded, with its token. */
  async insertToken(ticker: string, other: Partial<NewLaunch> = {}): Promise<TokenRow> {
    const leaseId = `lease-${ticker}`;
    const launch = await this.take(ticker, leaseId, other);
    const { tokenMint, poolAddress } = newAttempt(ticker);
    await this.launches.succeed(launch, leaseId, { tokenMint, poolAddress });
    const token = await this.store.tokens.findAny(tokenMint);
    if (!token) throw new Error(`${ticker} has no token`);
    return token;
  }
}
