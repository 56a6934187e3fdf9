import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { tempDir } from "../testing/temp-dir.ts";
import { LogSync } from "./log-sync.ts";
import { createRpcHandler } from "./rpc/handler.ts";
import { breakSync, canBreakSync } from "./testing/broken-disk.ts";
import { openTestChain, rpcRequest, SOL, transfer } from "./testing/local-chain.ts";

function openLog() {
  const dir = tempDir();
  const path = join(dir.path, "ledger.db-wal");
  writeFileSync(path, "log");
  return { sync: new LogSync(path), ledgerPath: join(dir.path, "ledger.db"), dir };
}

test("whenSynced waits for what was written, and not for what is on the disk", async () => {
  const { sync, dir } = openLog();
  expect(sync.whenSynced()).toBeNull();
  sync.wrote();
  const first = sync.whenSynced();
  expect(first).not.toBeNull();
  // Written during the first sync, which may not cover it.
  sync.wrote();
  const second = sync.whenSynced();
  const order: string[] = [];
  await Promise.all([
    first?.then(() => order.push("first")),
    second?.then(() => order.push("second")),
  ]);
  expect(order).toEqual(["first", "second"]);
  expect(sync.whenSynced()).toBeNull();
  sync.close();
  dir[Symbol.dispose]();
});

test("close ends every wait, also if it closes the file under a sync", async () => {
  // Which of the two comes first is the thread pool's choice.
  for (let round = 0; round < 100; round++) {
    const { sync, dir } = openLog();
    sync.wrote();
    const waiting = sync.whenSynced();
    sync.close();
    await waiting;
    expect(sync.whenSynced()).toBeNull();
    dir[Symbol.dispose]();
  }
});

test("what is written after close is not on the disk", async () => {
  const { sync, dir } = openLog();
  sync.close();
  sync.wrote();
  await expect(sync.whenSynced() as Promise<void>).rejects.toThrow("could not be written");
  dir[Symbol.dispose]();
});

describe.skipIf(!canBreakSync)("a disk that failed (needs Linux)", () => {
  test("is never trusted again", async () => {
    const { sync, ledgerPath, dir } = openLog();
    breakSync(ledgerPath);
    sync.wrote();
    await expect(sync.whenSynced() as Promise<void>).rejects.toThrow("could not be written");
    await expect(sync.whenSynced() as Promise<void>).rejects.toThrow("could not be written");
    dir[Symbol.dispose]();
  });

  test("also fails those who wait while it is closed", async () => {
    const { sync, ledgerPath, dir } = openLog();
    breakSync(ledgerPath);
    sync.wrote();
    const waiting = sync.whenSynced() as Promise<void>;
    expect(() => sync.close()).toThrow();
    await expect(waiting).rejects.toThrow("could not be written");
    dir[Symbol.dispose]();
  });

  test("keeps the chain from reporting any transaction", async () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const { chain, wallet } = openTestChain(path);
    const faults: unknown[] = [];
    const handle = createRpcHandler(chain, (error) => faults.push(error));
    const rpc = async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return (await (await handle(rpcRequest(body))).json()) as object;
    };
    const from = wallet(10n * SOL);
    await chain.whenSynced();
    const answered = { jsonrpc: "2.0", result: expect.anything(), id: 1 };
    expect(await rpc("getBalance", from.publicKey.toBase58())).toEqual(answered);

    breakSync(path);
    const to = PublicKey.unique().toBase58();
    const bytes = transfer(chain, from, SOL, new PublicKey(to));
    const sent = Buffer.from(bytes).toString("base64");
    const refused = { jsonrpc: "2.0", error: { code: -32603, message: "Internal error" }, id: 1 };
    expect(await rpc("sendTransaction", sent, { encoding: "base64" })).toEqual(refused);
    expect(await rpc("getBalance", to)).toEqual(refused);
    expect(faults).toHaveLength(2);
  });
});
