import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { dataFiles } from "../config/config.ts";
import { inspectDatabase } from "../store/sqlite/files.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { WHOLE_LIST } from "../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../testing/launches.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { tempStore } from "../testing/temp-store.ts";
import { makeBackup, restoreBackup } from "./backup.ts";
import { lockDataDirectory } from "./directory.ts";

const BINDING = {
  chain: "solana",
  launchWallet: "wallet",
  genesisHash: "genesis",
  mintSecretFingerprint: "fingerprint",
  dbcConfig: "config",
} as const;

/** Makes the data directory of a running server with one token and one pending launch. */
async function running(chain: "local" | "solana" = "solana") {
  const temp = tempStore();
  await temp.store.chainBinding.bind({ ...BINDING, chain });
  await insertToken(temp, "DONE");
  await insertLaunch(temp, "WAIT", { wallet: "other" });
  const dataDir = dirname(temp.path);
  const { localLedger, mintSecret } = dataFiles(dataDir);
  using ledger = new Database(localLedger);
  ledger.run("pragma journal_mode = wal");
  ledger.run("create table accounts (address)");
  writeFileSync(mintSecret, "ab".repeat(32), { mode: 0o600 });
  return { temp, dataDir, [Symbol.dispose]: () => temp[Symbol.dispose]() };
}

/** Makes the same server and its backup in another folder. */
async function backedUp(chain: "local" | "solana" = "solana") {
  const server = await running(chain);
  const dir = tempDir();
  const file = join(dir.path, "backup");
  makeBackup(server.dataDir, file);
  const dispose = () => {
    dir[Symbol.dispose]();
    server[Symbol.dispose]();
  };
  return { server, dir, file, [Symbol.dispose]: dispose };
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a running server can be backed up, into files of their owner alone", async () => {
  using server = await running();
  using dir = tempDir();
  const file = join(dir.path, "backup");
  const files = makeBackup(server.dataDir, file);
  expect(files.map(({ path }) => path)).toEqual([file, `${file}.localnet`, `${file}.mint-secret`]);
  expect(readdirSync(dir.path).sort()).toEqual(["backup", "backup.localnet", "backup.mint-secret"]);
  for (const { path, bytes } of files) {
    expect(mode(path)).toBe("600");
    expect(bytes).toBe(statSync(path).size);
  }
});

test("a restore puts back what was backed up, and nothing later", async () => {
  using made = await backedUp();
  const { server, dir, file } = made;
  await insertLaunch(server.temp, "LATE");

  const dataDir = join(dir.path, "restored");
  const files = dataFiles(dataDir);
  expect(restoreBackup(dataDir, file)).toEqual([
    files.database,
    files.localLedger,
    files.mintSecret,
  ]);
  expect(mode(dataDir)).toBe("700");
  for (const path of [files.database, files.localLedger, files.mintSecret]) {
    expect(mode(path)).toBe("600");
  }
  expect(readFileSync(files.mintSecret, "utf8")).toBe("ab".repeat(32));
  expect(inspectDatabase(files.database)).toEqual({ binding: BINDING, isService: true });
  const store = openSqliteStore(files.database, { clock: new ManualClock() });
  expect((await store.tokens.page("agent", WHOLE_LIST)).rows.map(({ ticker }) => ticker)).toEqual([
    "DONE",
  ]);
  expect((await store.launches.backlog()).depth).toBe(1);
  expect((await store.launches.lease("lease", 1_000))?.ticker).toBe("WAIT");
  await store.close();
});

test("a backup replaces no file", async () => {
  using server = await running();
  using dir = tempDir();
  const file = join(dir.path, "backup");
  writeFileSync(`${file}.localnet`, "another's");
  expect(() => makeBackup(server.dataDir, file)).toThrow("backup.localnet exists already");
  expect(readdirSync(dir.path)).toEqual(["backup.localnet"]);
});

test("a backup that fails half-way leaves no file behind", async () => {
  using server = await running();
  using dir = tempDir();
  truncateSync(dataFiles(server.dataDir).localLedger, 100);
  expect(() => makeBackup(server.dataDir, join(dir.path, "backup"))).toThrow();
  expect(readdirSync(dir.path)).toEqual([]);
});

test("a folder without a database is refused", () => {
  using dir = tempDir();
  expect(() => makeBackup(dir.path, join(dir.path, "backup"))).toThrow(
    `There is no database in ${dir.path}: set DATA_DIR to the server's.`,
  );
});

test("a restore replaces no file", async () => {
  using made = await backedUp();
  const { server, dir, file } = made;
  expect(() => restoreBackup(server.dataDir, file)).toThrow("exists already");
  expect((await server.temp.store.launches.backlog()).depth).toBe(1);
  const dataDir = join(dir.path, "used");
  mkdirSync(dataDir);
  writeFileSync(dataFiles(dataDir).mintSecret, "another's");
  expect(() => restoreBackup(dataDir, file)).toThrow("mint.secret exists already");
  expect(readFileSync(dataFiles(dataDir).mintSecret, "utf8")).toBe("another's");
});

test.each(["-wal", "-shm", "-journal"])(
  "a restore beside a %s file of an earlier database is refused, and the file is left alone",
  async (suffix) => {
    using made = await backedUp();
    const { dir, file } = made;
    const dataDir = join(dir.path, "crashed");
    mkdirSync(dataDir);
    const leftover = dataFiles(dataDir).database + suffix;
    writeFileSync(leftover, "what was committed last");
    expect(() => restoreBackup(dataDir, file)).toThrow(
      `${leftover} is left of an earlier database`,
    );
    expect(readFileSync(leftover, "utf8")).toBe("what was committed last");
    expect(existsSync(dataFiles(dataDir).database)).toBe(false);
  },
);

test("a restore into a directory in use is refused", async () => {
  using made = await backedUp();
  const { dir, file } = made;
  const dataDir = join(dir.path, "busy");
  mkdirSync(dataDir);
  const lock = lockDataDirectory(dataDir);
  expect(() => restoreBackup(dataDir, file)).toThrow("Another tokend is running");
  lock.release();
});

test("a backup with launches but without the mint secret is refused, and no file is made", async () => {
  using made = await backedUp();
  const { dir, file } = made;
  rmSync(`${file}.mint-secret`);
  const dataDir = join(dir.path, "restored");
  expect(() => restoreBackup(dataDir, file)).toThrow(
    `${file}.mint-secret is missing: with another secret, launches in progress could be deployed a second time. Put it beside the backup`,
  );
  expect(existsSync(dataDir)).toBe(false);
  expect(readdirSync(dir.path).sort()).toEqual(["backup", "backup.localnet"]);
});

test("a backup without launches needs no mint secret", () => {
  using temp = tempStore();
  using dir = tempDir();
  const file = join(dir.path, "backup");
  makeBackup(dirname(temp.path), file);
  const dataDir = join(dir.path, "restored");
  expect(restoreBackup(dataDir, file)).toEqual([dataFiles(dataDir).database]);
});

test("a sandbox's backup without its chain is refused, and no file is made", async () => {
  using made = await backedUp("local");
  const { dir, file } = made;
  rmSync(`${file}.localnet`);
  const dataDir = join(dir.path, "restored");
  expect(() => restoreBackup(dataDir, file)).toThrow(`${file}.localnet is missing`);
  expect(existsSync(dataDir)).toBe(false);
});

test("a server that is given MINT_SECRET has no file of it in its backup", async () => {
  using server = await running();
  using dir = tempDir();
  const secret = Buffer.alloc(32, 1);
  rmSync(dataFiles(server.dataDir).mintSecret);
  const file = join(dir.path, "backup");
  makeBackup(server.dataDir, file, secret);
  expect(readdirSync(dir.path).sort()).toEqual(["backup", "backup.localnet"]);
  const dataDir = join(dir.path, "restored");
  expect(() => restoreBackup(dataDir, file)).toThrow("backup.mint-secret is missing");
  const { database, localLedger } = dataFiles(dataDir);
  expect(restoreBackup(dataDir, file, secret)).toEqual([database, localLedger]);
});

test("a backup that could not be restored is not made", async () => {
  using server = await running();
  using dir = tempDir();
  const { mintSecret } = dataFiles(server.dataDir);
  rmSync(mintSecret);
  expect(() => makeBackup(server.dataDir, join(dir.path, "backup"))).toThrow(
    `${mintSecret} is missing, and nothing could be restored without it.`,
  );
  expect(readdirSync(dir.path)).toEqual([]);
});
