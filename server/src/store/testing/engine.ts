import type { Store, StoreListeners } from "../store.ts";

/** The time of a test's database when the test begins: 2026-03-01, 09:00 UTC. */
export const START = Date.UTC(2026, 2, 1, 9, 0, 0);
export const TODAY = "2026-03-01";
export const DAY_MS = 86_400_000;

export interface TestDatabase {
  readonly store: Store;
  /** Opens another server's store on the same database, and closes it after the test. */
  openAnother(listeners?: StoreListeners): Promise<Store>;
  now(): number;
  setTime(now: number): Promise<void>;
  select(sql: string): Promise<Record<string, unknown>[]>;
  execute(sql: string): Promise<void>;
}

export interface Engine {
  readonly name: string;
  readonly isHere: boolean;
  /** Prepares what the tests of a file share. @param fill stores the rows that each begins with */
  start(fill: (database: TestDatabase) => Promise<void>): Promise<void>;
  /** Returns a test's own database with these rows, at the time when they were stored. */
  open(): Promise<TestDatabase>;
  close(database: TestDatabase): Promise<void>;
  stop(): Promise<void>;
}
