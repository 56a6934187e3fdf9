import { expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { tempDir } from "../testing/temp-dir.ts";
import { prepareDataDirectory } from "./directory.ts";

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
