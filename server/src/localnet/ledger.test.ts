import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PublicKey, SystemProgram } from "@solana/web3.js";
import { LocalChain } from "./chain.ts";
import { openTestChain, SlotClock, SOL, transfer } from "./testing/local-chain.ts";

let folder: string;
let ledgerPath: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "localnet-"));
  ledgerPath = join(folder, "ledger.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("a ledger opened again", () => {
  test("has the accounts, the transactions and the same genesis", () => {
    const first = openTestChain(ledgerPath);
    const from = first.wallet(10n * SOL);
    const to = PublicKey.unique();
    const signature = first.chain.sendTransaction(transfer(first.chain, from, SOL, to));
    const before = first.chain.getTransaction(signature);
    const [genesisHash, faucet] = [first.chain.genesisHash(), first.chain.faucet];
    first.chain.close();

    const { chain } = openTestChain(ledgerPath, first.clock);
    expect(chain.getBalance(to)).toBe(SOL);
    expect(chain.getTransaction(signature)).toEqual(before);
    expect(chain.transactions.of(to, { limit: 5 })).toHaveLength(1);
    expect(chain.genesisHash()).toBe(genesisHash);
    expect(chain.faucet.equals(faucet)).toBe(true);
    chain.sendTransaction(transfer(chain, from, 2n * SOL, to));
    expect(chain.getBalance(to)).toBe(3n * SOL);
    chain.close();
  });

  test("goes on with slots of its length, and is refused with others", () => {
    const first = openTestChain(ledgerPath, undefined, { slotMs: 200 });
    first.clock.advance(100 * 200);
    const slot = first.chain.slot();
    const time = first.chain.slots.timeOf(slot);
    first.chain.close();
    const { clock } = first;
    expect(() => LocalChain.open({ ledgerPath, clock, slotMs: 400 })).toThrow("slots of 200 ms");
    clock.advance(200);
    const { chain } = openTestChain(ledgerPath, clock);
    expect(chain.slot()).toBe(slot + 1);
    expect(chain.slots.timeOf(slot)).toBe(time);
    chain.close();
  });

  test("has the accounts that were set, without those that were emptied", () => {
    const first = openTestChain(ledgerPath);
    const [kept, emptied] = [PublicKey.unique(), PublicKey.unique()];
    const owner = SystemProgram.programId;
    const data = Uint8Array.of(1, 2, 3);
    first.chain.setAccount(kept, { lamports: 2n ** 63n + 5n, owner, data });
    first.chain.setAccount(emptied, { lamports: SOL, owner });
    first.chain.setAccount(emptied, { lamports: 0n, owner });
    first.chain.close();

    const { chain } = openTestChain(ledgerPath, first.clock);
    expect(chain.getAccount(kept)).toMatchObject({ lamports: 2n ** 63n + 5n, data });
    expect(chain.getAccount(emptied)).toBeNull();
    chain.close();
  });

  test("accepts earlier blockhashes and refuses what it processed before", () => {
    const first = openTestChain(ledgerPath);
    const from = first.wallet();
    const sent = transfer(first.chain, from, SOL);
    const unsent = transfer(first.chain, from, 2n * SOL);
    const late = transfer(first.chain, from, 3n * SOL);
    first.chain.sendTransaction(sent);
    first.chain.close();

    first.clock.advanceSlots(100);
    const { chain } = openTestChain(ledgerPath, first.clock);
    expect(() => chain.sendTransaction(sent)).toThrow("already been processed");
    chain.sendTransaction(unsent);
    first.clock.advanceSlots(51);
    expect(() => chain.sendTransaction(late)).toThrow("Blockhash not found");
    chain.close();
  });

  test("continues from its highest slot, though the clock was set back", () => {
    const first = openTestChain(ledgerPath);
    first.clock.advanceSlots(500);
    const highest = first.chain.slot();
    const unsent = transfer(first.chain, first.wallet(), SOL);
    first.chain.close();

    first.clock.advance(-60_000);
    const { chain } = openTestChain(ledgerPath, first.clock);
    expect(chain.slot()).toBe(highest);
    expect(chain.sendTransaction(unsent)).toBeString();
    chain.close();
  });

  test("is refused while another chain has it open", () => {
    const { chain, clock } = openTestChain(ledgerPath);
    expect(() => LocalChain.open({ ledgerPath, clock })).toThrow("another process has the ledger");
    chain.close();
    LocalChain.open({ ledgerPath, clock }).close();
  });

  test("is released if a program cannot be loaded", () => {
    const clock = new SlotClock();
    const broken = { programId: PublicKey.unique(), bytes: Uint8Array.of(0x7f, 0x45, 0x4c, 0x46) };
    expect(() => LocalChain.open({ ledgerPath, clock, programs: [broken] })).toThrow();
    LocalChain.open({ ledgerPath, clock }).close();
  });

  test("is refused if a later version wrote it", () => {
    const db = new Database(ledgerPath, { create: true });
    db.run("PRAGMA user_version = 99");
    db.close();
    const open = () => LocalChain.open({ ledgerPath, clock: new SlotClock() });
    expect(open).toThrow("the ledger has format");
    expect(open).toThrow("the ledger has format");
  });
});

describe("a write that fails", () => {
  test("changes nothing in memory", () => {
    const { chain, wallet } = openTestChain(ledgerPath);
    const from = wallet(10n * SOL);
    const to = PublicKey.unique();
    const bytes = transfer(chain, from, SOL, to);
    const other = new Database(ledgerPath);
    other.run(
      "CREATE TRIGGER full BEFORE INSERT ON transactions BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
    );
    expect(() => chain.sendTransaction(bytes)).toThrow("disk is full");
    expect(() => chain.sendTransaction(bytes, { skipPreflight: true })).toThrow("disk is full");
    expect(chain.getBalance(to)).toBe(0n);
    expect(chain.getBalance(from.publicKey)).toBe(10n * SOL);

    other.run("DROP TRIGGER full");
    other.close();
    chain.sendTransaction(bytes);
    expect(chain.getBalance(to)).toBe(SOL);
    chain.close();
  });

  test("because the ledger has 4 GiB leaves the chain readable", () => {
    const first = openTestChain(ledgerPath);
    const from = first.wallet(10n * SOL);
    first.chain.close();
    const pages = 1_048_576;
    const file = openSync(ledgerPath, "r+");
    // The number of pages in SQLite's header. The file has holes, which take no space.
    writeSync(file, Uint8Array.of(0, pages >> 16, 0, 0), 0, 4, 28);
    ftruncateSync(file, pages * 4_096);
    closeSync(file);

    const { chain } = openTestChain(ledgerPath, first.clock);
    const fill = () => {
      for (let count = 0; count < 100; count++) chain.airdrop(PublicKey.unique(), SOL);
    };
    expect(fill).toThrow("database or disk is full");
    expect(chain.getBalance(from.publicKey)).toBe(10n * SOL);
    chain.close();
  });
});

/** Kills a process while it sends transactions. @returns what it printed */
async function sendUntilKilled(
  count: number,
): Promise<{ destination: string; signatures: string[] }> {
  const sender = fileURLToPath(new URL("./testing/sender.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, sender, ledgerPath], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const printed: string[] = [];
  const decoder = new TextDecoder();
  let lineCount = 0;
  for await (const chunk of child.stdout) {
    const text = decoder.decode(chunk, { stream: true });
    printed.push(text);
    lineCount += text.split("\n").length - 1;
    // Kills it while it sends, not between two transactions.
    if (lineCount >= count) child.kill("SIGKILL");
  }
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  // The last piece is an incomplete line, or empty.
  const [destination = "", ...signatures] = printed.join("").split("\n").slice(0, -1);
  return { destination, signatures };
}

describe("a chain killed with SIGKILL", () => {
  test("loses no transaction whose signature was returned", async () => {
    const { destination, signatures } = await sendUntilKilled(20);
    const { chain } = openTestChain(ledgerPath);
    const processed = chain.transactions.of(destination, { limit: 1_000 });
    const kept = new Set(processed.map(({ signature }) => signature));
    expect(signatures.length).toBeGreaterThanOrEqual(19);
    expect(signatures.filter((signature) => !kept.has(signature))).toEqual([]);
    // At most the transaction in progress was also processed, and balances match the history.
    expect(processed.length - signatures.length).toBeLessThanOrEqual(1);
    const count = BigInt(processed.length);
    expect(chain.getBalance(destination)).toBe(count * SOL + (count * (count - 1n)) / 2n);
    chain.close();
  });
});
