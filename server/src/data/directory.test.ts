import { expect, test } from "bun:test";
import { chmodSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { dataFiles } from "../config/config.ts";
import { tempDir } from "../testing/temp-dir.ts";
import {
  lockCollecting,
  lockDataDirectory,
  lossProblem,
  NO_FOLDER,
  prepareDataDirectory,
} from "./directory.ts";

function prepare(path: string): string[] {
  const messages: string[] = [];
  const write = (line: string) => messages.push((JSON.parse(line) as { msg: string }).msg);
  prepareDataDirectory(path, pino({}, { write }));
  return messages;
}

test("a new data directory is its owner's alone", () => {
  using dir = tempDir();
  const path = join(dir.path, "some", "where");
  expect(prepare(path)).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(prepare(path)).toEqual([]);
});

test("a data directory that others can read is used, with a warning", () => {
  using dir = tempDir();
  chmodSync(dir.path, 0o755);
  expect(prepare(dir.path)).toEqual([`others can read ${dir.path}: run chmod 700 ${dir.path}`]);
  expect(statSync(dir.path).mode & 0o777).toBe(0o755);
});

test("a data directory that cannot be made or written is refused by its setting's name", () => {
  using dir = tempDir();
  const file = join(dir.path, "file");
  writeFileSync(file, "");
  const link = join(dir.path, "link");
  symlinkSync(join(dir.path, "unmounted"), link);
  for (const path of [file, join(file, "below"), link]) {
    const refusal = new Error(`DATA_DIR ${path} ${NO_FOLDER}`);
    expect(() => prepare(path)).toThrow(refusal);
  }
  expect(() => prepare("/proc/data")).toThrow("DATA_DIR /proc/data cannot be made or written (");
});

test("a database that is missing or empty beside what only a first start makes is a loss", () => {
  using dir = tempDir();
  const files = dataFiles(dir.path);
  const place = { dataDir: dir.path, databaseUrl: null, mintSecret: null };
  const loss = () => lossProblem(place);
  expect(loss()).toBeNull();
  writeFileSync(files.database, "");
  expect(loss()).toBeNull();
  for (const left of [files.mintSecret, files.jwtSecret, files.localLedger]) {
    writeFileSync(left, "x");
    expect(loss()).toStartWith(`${files.database} is empty beside ${left}: there was`);
    rmSync(files.database);
    expect(loss()).toStartWith(`${files.database} is missing beside ${left}: there was`);
    expect(lossProblem({ ...place, databaseUrl: "postgres://localhost/x" })).toBeNull();
    writeFileSync(files.database, "x");
    expect(loss()).toBeNull();
    rmSync(left);
    writeFileSync(files.database, "");
  }
});

test("a second server on a data directory is refused, with what to do", () => {
  using directory = tempDir();
  const lock = lockDataDirectory(directory.path);
  expect(() => lockDataDirectory(directory.path)).toThrow(
    `Another tokend is running on ${directory.path}. Stop it first, or give this one its own DATA_DIR.`,
  );
  lock.release();
  lockDataDirectory(directory.path).release();
});

test("one process at a time collects, beside a server", () => {
  using directory = tempDir();
  const server = lockDataDirectory(directory.path);
  const lock = lockCollecting(directory.path);
  expect(() => lockCollecting(directory.path)).toThrow(
    `Another tokend collect is running on ${directory.path}: wait until it ends.`,
  );
  lock.release();
  lockCollecting(directory.path).release();
  server.release();
});
