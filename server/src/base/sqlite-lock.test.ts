import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../testing/temp-dir.ts";
import { isLocked, takeLock } from "./sqlite-lock.ts";

const IN_USE = "another has it";

test("a lock is held by one at a time, and can be taken again after its release", () => {
  using directory = tempDir();
  const path = join(directory.path, "file.lock");
  const lock = takeLock(path, IN_USE);
  expect(isLocked(path)).toBe(true);
  expect(() => takeLock(path, IN_USE)).toThrow(IN_USE);
  lock.release();
  expect(isLocked(path)).toBe(false);
  takeLock(path, IN_USE).release();
});

test("asking about a lock makes no file", () => {
  using directory = tempDir();
  const path = join(directory.path, "file.lock");
  expect(isLocked(path)).toBe(false);
  expect(existsSync(path)).toBe(false);
});

test("a lock that cannot be made is not taken for one that another holds", () => {
  using directory = tempDir();
  const path = join(directory.path, "no folder", "file.lock");
  expect(() => takeLock(path, IN_USE)).toThrow("unable to open database file");
  expect(() => takeLock(path, IN_USE)).not.toThrow(IN_USE);
});
