import { Database, type SQLQueryBindings } from "bun:sqlite";
import { afterEach, beforeEach, expect } from "bun:test";
import { type TempStore, tempStore } from "../../../testing/temp-store.ts";

const WALLET = "unrelated";
/** The idempotency key of its launches that have one: tests use the same key for their wallets. */
const KEY = "key";

/**
 * Opens a store before each test, with rows of a wallet that the test is not about. After the test
 * these rows must be unchanged, so that a statement that forgets its wallet or its id fails.
 *
 * @param isPending whether a launch of that wallet is in progress, leased for the next minute
 * @returns the store of the current test
 */
export function storeWithOtherWallet(isPending: boolean): TempStore {
  let temp: TempStore;
  let other: ReturnType<typeof addOtherWallet>;
  beforeEach(() => {
    temp = tempStore();
    other = addOtherWallet(temp, isPending);
  });
  afterEach(() => {
    other.expectUnchanged();
    temp[Symbol.dispose]();
  });
  return {
    get store() {
      return temp.store;
    },
    get clock() {
      return temp.clock;
    },
    get path() {
      return temp.path;
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  };
}

/** Adds a wallet with a row of every kind. */
function addOtherWallet({ path, clock }: TempStore, isPending: boolean) {
  const now = clock.now();
  const client = new Database(path, { strict: true });
  const launch = client.query(
    `insert into launches (event_id, wallet, name, ticker, status, created_at, processed_at, error,
       run_at, attempts, lease_id, lease_until, day, signature, "transaction",
       last_valid_block_height, token_mint, pool_address, idempotency_key, request_hash)
     values ($eventId, '${WALLET}', 'Unrelated', $ticker, $status, $now, $processedAt, $error, $now,
       1, $leaseId, $leaseUntil, '2026-02-28', $signature, $transaction, $height, $mint, $pool,
       $key, 'their hash')`,
  );
  const add = (status: string, other: Record<string, SQLQueryBindings>) =>
    launch.run({
      eventId: crypto.randomUUID(),
      ticker: `UN${status.slice(0, 4).toUpperCase()}`,
      status,
      now,
      processedAt: now,
      error: null,
      leaseId: null,
      leaseUntil: null,
      signature: null,
      transaction: null,
      height: null,
      mint: null,
      pool: null,
      key: null,
      ...other,
    });
  add("failed", { error: "theirs", signature: "their failed signature" });
  add("rate_limited", { error: "theirs" });
  add("success", { eventId: "their-success", mint: "their-mint", pool: "their-pool", key: KEY });
  if (isPending) {
    const signed = { signature: "their signature", transaction: Buffer.of(9), height: 9 };
    const lease = { leaseId: "their lease", leaseUntil: now + 60_000 };
    add("pending", { processedAt: null, mint: "their-next-mint", ...signed, ...lease });
  }
  client.run(
    `insert into tokens (token_mint, pool_address, event_id, wallet, ticker, name, deployed_at)
     values ('their-mint', 'their-pool', 'their-success', '${WALLET}', 'UNSUCC', 'Unrelated', ?)`,
    [now],
  );
  const claim = client.query<null, [string, string, string | null, Buffer | null, number]>(
    `insert into claims (wallet, token_mint, message_hash, status, signature, "transaction",
       last_valid_block_height, prepared_at, expires_at)
     values ('${WALLET}', 'their-mint', ?, ?, ?, ?, 9, 1, ?)`,
  );
  claim.run("their prepared", "prepared", null, null, now + 1e9);
  claim.run("their submitted", "submitted", "their claim", Buffer.of(9), now);
  claim.run("their confirmed", "confirmed", "their other claim", null, now);

  const rows = () =>
    ["launches", "tokens", "claims"].map((table) =>
      client.query(`select * from ${table} where wallet = '${WALLET}' order by rowid`).all(),
    );
  const before = rows();
  return {
    /** Requires that all its rows are as they were. */
    expectUnchanged(): void {
      const after = rows();
      client.close();
      expect(after).toEqual(before);
    },
  };
}
