import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { tempDir } from "../testing/temp-dir.ts";
import { createTable, tableTransfer } from "./testing/instructions.ts";
import {
  openTestChain,
  SlotClock,
  SOL,
  strayRows,
  type TestChain,
  transfer,
} from "./testing/local-chain.ts";

/** One more than the 300 slots whose transactions all stay. */
const LONG = 301;

/** Opens a chain that keeps five transactions and prunes from the start. */
function openShort(ledgerPath = ":memory:", clock = new SlotClock()): TestChain {
  const test = openTestChain(ledgerPath, clock, { history: 5 });
  clock.advanceSlots(LONG);
  return test;
}

/** Sends payments from a wallet to a new address, and lets slots pass before each. */
function pay({ chain, clock, wallet }: TestChain, count: number, slots = 0, from = wallet()) {
  const to = PublicKey.unique();
  const signatures = Array.from({ length: count }, (_, index) => {
    clock.advanceSlots(slots);
    return chain.sendTransaction(transfer(chain, from, SOL / 100n + BigInt(index), to));
  });
  return { from, to, signatures };
}

describe("a history with a limit", () => {
  test("keeps the latest transactions of all wallets and forgets earlier ones", async () => {
    const test = openShort();
    const { chain, rpc } = test;
    const one = pay(test, 6, LONG);
    const other = pay(test, 3, LONG);
    // Five in total: the second wallet's three and its airdrop, and the first wallet's latest.
    const kept = [...one.signatures.slice(-1), ...other.signatures];
    const known = [...one.signatures, ...other.signatures].filter(
      (signature) => chain.getTransaction(signature) !== null,
    );
    expect(known).toEqual(kept);
    const search = { searchTransactionHistory: true };
    const asked = [one.signatures[0], one.signatures[5], other.signatures[0]];
    const { result } = await rpc("getSignatureStatuses", asked, search);
    expect(result.value).toEqual([
      null,
      expect.objectContaining({ err: null }),
      expect.objectContaining({ err: null }),
    ]);
    expect(
      (await rpc("getTransaction", one.signatures[0], { encoding: "base64" })).result,
    ).toBeNull();
    expect(chain.transactions.count()).toBe(11);
    // Their effects stay.
    expect(chain.getBalance(one.to)).toBe((6n * SOL) / 100n + 15n);
    expect(chain.getBalance(other.to)).toBe((3n * SOL) / 100n + 3n);
  });

  test("is read page by page up to its oldest entry, also while that changes", async () => {
    const test = openShort();
    const { connection } = test;
    const one = pay(test, 6, LONG);
    const listed = async (options: object) => {
      const found = await connection.getSignaturesForAddress(one.to, options);
      return found.map(({ signature }) => signature);
    };
    const newestFirst = one.signatures.toReversed();
    expect(await listed({})).toEqual(newestFirst.slice(0, 5));
    const page = await listed({ limit: 2 });
    expect(page).toEqual(newestFirst.slice(0, 2));
    pay(test, 2, LONG);
    expect(await listed({ before: page[1] })).toEqual([]);
    expect(await listed({ before: page[0] })).toEqual([newestFirst[1] ?? ""]);
    // As on a node that no longer has the transaction.
    for (const range of [{ before: newestFirst[5] }, { until: newestFirst[5] }]) {
      await expect(listed(range)).rejects.toThrow(`Transaction ${newestFirst[5]} not found`);
    }
  });

  test("keeps all transactions of the last 300 slots, and everything for 300 slots after a start", () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const test = openShort(path);
    const { chain, clock } = test;
    const { from, signatures } = pay(test, 20, 10);
    const kept = (of: typeof chain) =>
      signatures.filter((signature) => of.getTransaction(signature) !== null).length;
    expect(kept(chain)).toBe(20);
    chain.close();
    clock.advanceSlots(10 * LONG);
    const again = openTestChain(path, clock, { history: 5 });
    pay(again, 5, 60, from);
    expect(kept(again.chain)).toBe(20);
    pay(again, 4, 1, from);
    expect(kept(again.chain)).toBeLessThan(20);
    again.chain.close();
  });

  test("removes all rows of what it forgets, also for addresses from lookup tables", async () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const test = openShort(path);
    const { chain, clock, connection, wallet } = test;
    const payer = wallet();
    const to = PublicKey.unique();
    const table = createTable(test, payer, [to]);
    clock.advanceSlots(1);
    await connection.sendRawTransaction(await tableTransfer(connection, payer, table, to));
    chain.sendTransaction(transfer(chain, payer, 100n * SOL), { skipPreflight: true });
    expect(chain.transactions.of(to, { limit: 5 })).toHaveLength(1);
    pay(test, 12, LONG);
    expect(chain.transactions.of(to, { limit: 5 })).toEqual([]);
    chain.close();
    expect(strayRows(path)).toBe(0);
  });

  test("reuses the space in the file, and shrinks a longer history in small steps", () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const long = openTestChain(path);
    const { from } = pay(long, 60);
    long.chain.close();
    using file = new Database(path, { readonly: true });
    const read = (sql: string) => Number(file.query(sql).values()[0]?.[0]);
    const pages = read("PRAGMA page_count");

    const short = openTestChain(path, long.clock, { history: 5 });
    long.clock.advanceSlots(LONG);
    const counts = Array.from({ length: 30 }, () => {
      pay(short, 1, LONG, from);
      return read("SELECT count(*) FROM transactions");
    });
    const steps = counts.map((count, index) => (counts[index - 1] ?? 61) - count);
    expect(Math.max(...steps)).toBe(3);
    expect(counts.at(-1)).toBe(5);
    pay(short, 100, LONG, from);
    // Each call of `pay` adds one account.
    expect(read("PRAGMA page_count")).toBeLessThanOrEqual(pages + 8);
    short.chain.close();
  });
});

test("a history without a limit keeps everything", () => {
  const test = openTestChain();
  const { signatures } = pay(test, 12, LONG);
  const known = signatures.filter((signature) => test.chain.getTransaction(signature) !== null);
  expect(known).toEqual(signatures);
});
