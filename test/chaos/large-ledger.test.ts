import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { createToken } from "../../server/src/localnet/testing/instructions.ts";
import { openTestChain, SOL, transfer } from "../../server/src/localnet/testing/local-chain.ts";
import { installBinaries } from "../support/binaries.ts";
import { MEASURED, startTokend, tempDir } from "../support/processes.ts";
import { memoryOf } from "./memory.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(600_000);

/** Tokens that were launched and traded: each leaves 7 accounts and 4.5 transactions. */
const LIVES = scale(6_000, 60_000);
const ACCOUNTS_PER_LIFE = 7;
const TRANSACTIONS_PER_LIFE = 4.5;

/** Makes a ledger with a few real transactions, and copies of their rows under other keys. */
function makeLedger(path: string): void {
  const test = openTestChain(path);
  for (let count = 0; count < 20; count++) {
    const owner = test.wallet();
    createToken(test, owner, 1_000n);
    test.chain.sendTransaction(transfer(test.chain, owner, SOL, Keypair.generate().publicKey));
  }
  test.chain.close();
  using db = new Database(path);
  db.run("PRAGMA synchronous = OFF");
  const count = (table: string) =>
    Number(db.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0] ?? 0);
  const [accounts, transactions] = [count("accounts"), count("transactions")];
  db.transaction(() => {
    db.run(
      `INSERT INTO accounts WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
       SELECT randomblob(32), owner, lamports, 0,
         CASE length(data) WHEN 165 THEN CAST(randomblob(64) || substr(data, 65) AS BLOB) ELSE data END
       FROM accounts, n`,
      [Math.ceil((LIVES * ACCOUNTS_PER_LIFE) / accounts)],
    );
    db.run(
      `INSERT INTO transactions
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
       SELECT seq + i * ?, randomblob(64), randomblob(32), slot, bytes, error, meta
       FROM transactions, n`,
      [Math.ceil((LIVES * TRANSACTIONS_PER_LIFE) / transactions), transactions],
    );
  })();
}

/** Starts a server. @returns milliseconds until it listens, and the bytes that it holds then */
async function start(tokend: string, folder: string) {
  const started = performance.now();
  await using server = await startTokend([tokend, "serve", "--new-database"], folder, MEASURED);
  const milliseconds = performance.now() - started;
  const bytes = memoryOf(server.pid, "VmRSS");
  await server.end("SIGTERM");
  return { milliseconds, bytes };
}

test.skipIf(process.platform !== "linux")(
  "a server on a long ledger takes no more memory than on a new one (needs Linux)",
  async () => {
    using folder = tempDir();
    const { tokend } = await installBinaries(folder.path);
    const [fresh, old] = ["fresh", "old"].map((name) => join(folder.path, name));
    for (const path of [fresh, old]) mkdirSync(join(path ?? "", "data"), { recursive: true });
    makeLedger(join(old ?? "", "data", "localnet.sqlite"));
    const before = await start(tokend, fresh ?? "");
    const after = await start(tokend, old ?? "");
    figures(`a start after ${LIVES} lives of tokens`, { before, after });
    expect(after.bytes).toBeLessThan(1.25 * before.bytes);
    if (!isLong) return;
    expect(after.bytes).toBeLessThan(300_000_000);
    expect(after.milliseconds).toBeLessThan(500);
  },
);
