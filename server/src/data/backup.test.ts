import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { dataFiles } from "../config/config.ts";
import { inspectDatabase } from "../store/sqlite/files.ts";
import { openBeside, openSqliteStore } from "../store/sqlite/store.ts";
import { WHOLE_LIST } from "../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../testing/launches.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { tempStore } from "../testing/temp-store.ts";
import { makeBackup, restoreBackup } from "./backup.ts";
import { lockDataDirectory } from "./directory.ts";
import { exportMetadata } from "./export-metadata.ts";

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
  const paths = [files.database, files.localLedger, files.mintSecret];
  expect(restoreBackup(dataDir, file)).toEqual(paths);
  expect(mode(dataDir)).toBe("700");
  for (const path of paths) expect(mode(path)).toBe("600");
  expect(readFileSync(files.mintSecret, "utf8")).toBe("ab".repeat(32));
  expect(inspectDatabase(files.database)).toMatchObject({ binding: BINDING, isService: true });
  const store = openSqliteStore(files.database, { clock: new ManualClock() });
  const { rows } = await store.tokens.page("agent", WHOLE_LIST);
  expect(rows.map(({ ticker }) => ticker)).toEqual(["DONE"]);
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
    `No database in ${dir.path}: set DATA_DIR to the server's, or run as its user`,
  );
});

test.skipIf(process.geteuid?.() !== 0)(
  "what root restores belongs to the owner of the folder",
  async () => {
    using made = await backedUp();
    using dir = tempDir();
    chownSync(dir.path, 12_345, 12_345);
    restoreBackup(dir.path, made.file);
    const owners = readdirSync(dir.path).map((name) => statSync(join(dir.path, name)).uid);
    expect(owners).toEqual(owners.map(() => 12_345));
  },
);

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

test("a database that was copied by hand is not restored without its log", async () => {
  using made = await backedUp();
  writeFileSync(`${made.file}-wal`, "commits");
  const dataDir = join(made.dir.path, "new");
  expect(() => restoreBackup(dataDir, made.file)).toThrow("-wal has commits that");
  expect(existsSync(dataFiles(dataDir).database)).toBe(false);
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

test.each([
  ["solana", "mint-secret", "localnet", "launches in progress could be deployed a second time"],
  ["local", "localnet", "mint-secret", "it is the sandbox's chain"],
] as const)(
  "a backup of CHAIN=%s without its .%s is refused",
  async (chain, missing, other, why) => {
    using made = await backedUp(chain);
    const { dir, file } = made;
    rmSync(`${file}.${missing}`);
    const dataDir = join(dir.path, "restored");
    const restore = () => restoreBackup(dataDir, file);
    expect(restore).toThrow(`${file}.${missing} is missing`);
    expect(restore).toThrow(why);
    expect(existsSync(dataDir)).toBe(false);
    expect(readdirSync(dir.path).sort()).toEqual(["backup", `backup.${other}`]);
  },
);

test("a backup without launches needs no mint secret", () => {
  using temp = tempStore();
  using dir = tempDir();
  const file = join(dir.path, "backup");
  makeBackup(dirname(temp.path), file);
  const dataDir = join(dir.path, "restored");
  expect(restoreBackup(dataDir, file)).toEqual([dataFiles(dataDir).database]);
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

function makeForeign(path: string): void {
  rmSync(path, { force: true });
  using client = new Database(path, { create: true });
  client.run("create table notes (text)");
  client.run("pragma user_version = 3");
}

/** Puts something in the place of a file, whose bytes are `whole`. */
type Replace = (path: string, whole: Buffer) => unknown;

const PIPE: Replace = (path) => Bun.spawnSync(["mkfifo", path]);
const ENDLESS: Replace = (path) => symlinkSync("/dev/zero", path);
const FOLDER: Replace = (path) => mkdirSync(path);
const TEXT: Replace = (path) => writeFileSync(path, "hello\n".repeat(1_000));
const HALF: Replace = (path, whole) => writeFileSync(path, whole.subarray(0, whole.length / 2));

const NO_FILE = /is not a regular file/;
const NO_BACKUP = /is not a backup of tokend/;

/** What a process may take that hangs or copies without end: 100 MB a file, 20 s of the processor. */
const LIMITS = ["timeout", "60", "prlimit", "--fsize=100000000", "--cpu=20"];

describe("hostile files", async () => {
  const folder = tempDir();
  afterAll(() => folder[Symbol.dispose]());
  using made = await backedUp("local");
  const suffixes = ["", ".localnet", ".mint-secret"];
  const tries: { what: string; file: string | null; dataDir: string; reason: RegExp }[] = [];
  const dataDir = () => join(folder.path, `data-${tries.length}`);

  const restore = (what: string, change: (file: string) => unknown, reason = /^[^\n]+$/) => {
    const file = join(folder.path, `${tries.length}`);
    for (const suffix of suffixes) copyFileSync(made.file + suffix, file + suffix);
    const other = change(file);
    const named = typeof other === "string" ? other : file;
    tries.push({ what: `restore of ${what}`, file: named, dataDir: dataDir(), reason });
  };
  for (const suffix of suffixes) {
    for (const [what, replace] of Object.entries<Replace>({
      "a named pipe": PIPE,
      "a link to the genuine file": (path) => symlinkSync(made.file + suffix, path),
      "a link to a device without end": ENDLESS,
      "a link that leads nowhere": (path) => symlinkSync("/nonexistent/file", path),
      "a folder": FOLDER,
      "a text": TEXT,
      "half of the file": HALF,
    })) {
      restore(`a backup${suffix} that is ${what}`, (file) => {
        rmSync(file + suffix);
        replace(file + suffix, readFileSync(made.file + suffix));
      });
    }
  }
  restore("a device without end", () => "/dev/zero", NO_FILE);
  restore("an empty file", (file) => truncateSync(file), NO_BACKUP);
  restore("another program's database", makeForeign, NO_BACKUP);
  restore(
    "a file larger than the disk",
    (file) => truncateSync(file, 15e12),
    /has 15\d{12} bytes, and the disk/,
  );

  const migrate = (what: string, make: Replace, reason: RegExp) => {
    mkdirSync(dataDir());
    make(dataFiles(dataDir()).database, readFileSync(made.file));
    tries.push({ what: `migrate of ${what}`, file: null, dataDir: dataDir(), reason });
  };
  migrate("a named pipe", PIPE, NO_FILE);
  migrate("a device without end", ENDLESS, NO_FILE);
  migrate("a folder", FOLDER, NO_FILE);
  migrate("a text", TEXT, /not a database/);
  migrate("another program's database", makeForeign, /is another program's/);
  migrate("half of a database", HALF, /malformed/);

  // All in one process, which ends too early if one of them comes to a limit.
  const script = `
    import { restoreBackup } from ${JSON.stringify(join(import.meta.dir, "backup.ts"))};
    import { moveToPostgres } from ${JSON.stringify(join(import.meta.dir, "move-to-postgres.ts"))};
    for (const { dataDir, file } of JSON.parse(process.argv[1])) {
      const config = { dataDir, databaseUrl: null, mintSecret: null };
      const tried = async () => file === null
        ? moveToPostgres(config, "postgres://ops@127.0.0.1:1/db")
        : restoreBackup(dataDir, file);
      console.log(JSON.stringify(await tried().then(() => "done", ({ message }) => message)));
    }`;
  const state = () => tries.map(({ dataDir }) => filesIn(dataDir));
  const before = state();
  const command = [...LIMITS, process.execPath, "-e", script, JSON.stringify(tries)];
  const said = Bun.spawnSync(command, { stderr: "inherit" }).stdout.toString().split("\n");
  const after = state();

  test.each(tries.map(({ what, reason }, index) => [what, reason, index] as const))(
    "the %s is refused in a sentence, and makes and changes nothing",
    (_, reason, index) => {
      expect(JSON.parse(said[index] || "null")).toMatch(reason);
      expect(after[index]).toEqual(before[index] ?? {});
    },
  );
});

/** Returns the hash of each of a service's files in a folder; null of what is no file. */
function filesIn(dataDir: string) {
  const { database, localLedger, mintSecret, moved } = dataFiles(dataDir);
  const isFolder = lstatSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === true;
  const drafts = (isFolder ? readdirSync(dataDir) : []).filter((name) => name.endsWith(".part"));
  const paths = [database, localLedger, mintSecret, moved];
  paths.push(...drafts.map((name) => join(dataDir, name)));
  const there = paths.map((path) => [path, lstatSync(path, { throwIfNoEntry: false })] as const);
  return Object.fromEntries(
    there.flatMap(([path, status]) =>
      status ? [[path, status.isFile() ? Bun.hash(readFileSync(path)) : null]] : [],
    ),
  );
}

test("restore writes through no link that waits in its folder", async () => {
  using made = await backedUp();
  const { dir, file } = made;
  const [dataDir, victim] = [join(dir.path, "linked"), join(dir.path, "victim")];
  const { database } = dataFiles(dataDir);
  mkdirSync(dataDir);
  for (const link of [database, `${database}-wal`]) {
    symlinkSync(victim, link);
    expect(() => restoreBackup(dataDir, file)).toThrow();
    rmSync(link);
  }
  symlinkSync(victim, `${database}.${process.pid}.part`);
  restoreBackup(dataDir, file);
  expect(existsSync(victim)).toBe(false);
  expect(lstatSync(database).isFile()).toBe(true);
});

test("the metadata of a restored database is exported into its folder alone", async () => {
  using made = await backedUp();
  const { dir, file } = made;
  const [dataDir, out] = [join(dir.path, "restored"), join(dir.path, "out", "in")];
  restoreBackup(dataDir, file);
  const { database } = dataFiles(dataDir);
  {
    using client = new Database(database);
    client.run("pragma foreign_keys = off");
    for (const table of ["tokens", "launches"]) {
      client.run(`update ${table} set token_mint = '../../escaped'`);
    }
  }
  const store = openBeside(database, { isReadOnly: true });
  await expect(exportMetadata(store, out)).rejects.toThrow(
    "../../escaped.json cannot be the name of a file",
  );
  await store.close();
  expect(existsSync(join(out, "../escaped.json"))).toBe(false);
});
