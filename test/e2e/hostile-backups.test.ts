import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { dataFiles } from "../../server/src/config/config.ts";
import { makeBackup } from "../../server/src/data/backup.ts";
import { Agent } from "../support/agent.ts";
import { run, TOKEND, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

/** What a command may take that hangs or copies without end: a file of 100 MB, 20 s of the processor. */
const LIMITS = ["timeout", "60", "prlimit", "--fsize=100000000", "--cpu=20"];
const SUFFIXES = ["", ".localnet", ".mint-secret"] as const;

const genuine = tempDir();
const backup = join(genuine.path, "backup");
await using server = await startTestServer();
await (await Agent.signedIn(server)).launched("KEPT");
makeBackup(server.config.dataDir, backup);
afterAll(() => genuine[Symbol.dispose]());

function scene() {
  const folder = tempDir();
  const file = join(folder.path, "backup");
  for (const suffix of SUFFIXES) copyFileSync(backup + suffix, file + suffix);
  const dataDir = join(folder.path, "data");
  const tokend = (...args: readonly string[]) =>
    run([...LIMITS, ...TOKEND, ...args], folder.path, { DATA_DIR: dataDir });
  return { file, dataDir, tokend, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function makePipe(path: string): void {
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
}

function makeForeign(path: string): void {
  using client = new Database(path, { create: true });
  client.run("create table notes (text)");
  client.run("pragma user_version = 3");
}

const REPLACED = {
  "a named pipe": makePipe,
  "a link to the genuine file": (path: string) =>
    symlinkSync(backup + (SUFFIXES.findLast((suffix) => path.endsWith(suffix)) ?? ""), path),
  "a link to a device without end": (path: string) => symlinkSync("/dev/zero", path),
  "a link that leads nowhere": (path: string) => symlinkSync("/nonexistent/file", path),
  "a folder": (path: string) => mkdirSync(path),
  "a text": (path: string) => writeFileSync(path, "hello\n".repeat(1_000)),
  "half of the file": (path: string, whole: Buffer) =>
    writeFileSync(path, whole.subarray(0, whole.length / 2)),
} as const;

const cases = SUFFIXES.flatMap((suffix) =>
  Object.entries(REPLACED).map(([what, replace]) => [suffix, what, replace] as const),
);

/** @returns which of a service's files are in a folder */
function restored(dataDir: string): string[] {
  const ours = Object.values(dataFiles(dataDir)).flatMap((path) => [path, `${path}.part`]);
  return ours.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

test.concurrent.each(cases)("restore refuses a backup%s that is %s", async (suffix, _, replace) => {
  using at = scene();
  const path = at.file + suffix;
  const whole = readFileSync(path);
  rmSync(path);
  replace(path, whole);
  const { exitCode, stdout, stderr } = await at.tokend("restore", at.file);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).not.toMatch(/\n +at /);
  expect(restored(at.dataDir)).toEqual([]);
});

test.concurrent.each([
  ["a device without end", "/dev/zero", /is not a regular file/],
  ["an empty device", "/dev/null", /is not a regular file/],
  ["an empty file", "empty", /is not a backup of tokend/],
  ["another program's database", "foreign", /is not a backup of tokend/],
  ["a text", "text", /is not a backup of tokend: file is not a database/],
  ["a database that was copied without its log", "logged", /logged-wal is the log of a database/],
  ["larger than the disk", "huge", /has 15\d{12} bytes, and the disk of .* left/],
])("restore refuses %s and says why", async (_, name, reason) => {
  using at = scene();
  const path = (other: string) => join(at.file, "..", other);
  writeFileSync(path("empty"), "");
  writeFileSync(path("text"), "no database".repeat(100));
  makeForeign(path("foreign"));
  for (const suffix of SUFFIXES) {
    for (const other of ["logged", "huge"]) copyFileSync(at.file + suffix, path(other) + suffix);
  }
  writeFileSync(path("logged-wal"), "commits");
  truncateSync(path("huge"), 15e12);
  const { exitCode, stderr } = await at.tokend("restore", name);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(reason);
  expect(restored(at.dataDir)).toEqual([]);
});

test("restore writes through no link that waits in its folder", async () => {
  using at = scene();
  const victim = `${at.file}.victim`;
  const { database } = dataFiles(at.dataDir);
  mkdirSync(at.dataDir);
  for (const link of [database, `${database}-wal`]) {
    symlinkSync(victim, link);
    expect((await at.tokend("restore", at.file)).exitCode).toBe(1);
    rmSync(link);
  }
  symlinkSync(victim, `${database}.part`);
  expect((await at.tokend("restore", at.file)).exitCode).toBe(0);
  expect(existsSync(victim)).toBe(false);
  expect(lstatSync(database).isFile()).toBe(true);
});

test("the metadata of a restored database is exported into its folder alone", async () => {
  using at = scene();
  const out = join(at.file, "../out/in");
  expect((await at.tokend("restore", at.file)).exitCode).toBe(0);
  {
    using client = new Database(dataFiles(at.dataDir).database);
    client.run("pragma foreign_keys = off");
    for (const table of ["tokens", "launches"]) {
      client.run(`update ${table} set token_mint = '../../escaped'`);
    }
  }
  const { exitCode, stderr } = await at.tokend("metadata", "export", out);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("../../escaped.json cannot be the name of a file");
  expect(existsSync(join(out, "../escaped.json"))).toBe(false);
});

test.concurrent.each([
  ["a named pipe", makePipe, /is not a regular file/],
  [
    "a device without end",
    (path: string) => symlinkSync("/dev/zero", path),
    /is not a regular file/,
  ],
  ["a folder", (path: string) => mkdirSync(path), /is not a regular file/],
  ["a text", (path: string) => writeFileSync(path, "hello\n".repeat(99)), /not a database/],
  ["another program's database", makeForeign, /is another program's/],
  ["half of a database", undefined, /malformed/],
])("migrate refuses a database that is %s, and leaves it as it is", async (_, make, reason) => {
  using at = scene();
  mkdirSync(at.dataDir);
  const { database } = dataFiles(at.dataDir);
  if (make) make(database);
  else writeFileSync(database, readFileSync(at.file).subarray(0, 8_192));
  const before = lstatSync(database).isFile() ? readFileSync(database) : null;
  const { exitCode, stderr } = await at.tokend("migrate", "--to", "postgres://ops@127.0.0.1:1/db");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(reason);
  if (before) expect(Bun.hash(readFileSync(database))).toBe(Bun.hash(before));
  expect(readdirSync(at.dataDir)).not.toContain("moved");
});
