import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../testing/temp-dir.ts";
import { isDataDirectoryLocked, lockDataDirectory } from "./sqlite-lock.ts";

/** Another process that takes the lock, says so, and holds it until it is killed. */
async function lockElsewhere(directory: string) {
  const program = `
    import { lockDataDirectory } from ${JSON.stringify(join(import.meta.dir, "sqlite-lock.ts"))};
    globalThis.lock = lockDataDirectory(${JSON.stringify(directory)});
    console.log("locked");
    setInterval(() => {}, 1000);
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("locked\n");
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return { kill, [Symbol.asyncDispose]: kill };
}

test("a second one on the same directory is refused, in words", () => {
  using directory = tempDir();
  const lock = lockDataDirectory(directory.path);
  expect(() => lockDataDirectory(directory.path)).toThrow(
    `Another tokend is running on ${directory.path}. Stop it first, or give this one its own DATA_DIR.`,
  );
  lock.release();
  lockDataDirectory(directory.path).release();
});

test("another process's lock is freed by kill -9", async () => {
  using directory = tempDir();
  await using holder = await lockElsewhere(directory.path);
  expect(() => lockDataDirectory(directory.path)).toThrow("Another tokend is running");
  await holder.kill();
  lockDataDirectory(directory.path).release();
});

test("other directories are free, and each is held until its own lock is released", () => {
  using one = tempDir();
  using two = tempDir();
  const lockOne = lockDataDirectory(one.path);
  const lockTwo = lockDataDirectory(two.path);
  for (const { path } of [one, two]) {
    expect(() => lockDataDirectory(path)).toThrow(`Another tokend is running on ${path}.`);
    expect(isDataDirectoryLocked(path)).toBe(true);
  }
  lockOne.release();
  expect(isDataDirectoryLocked(one.path)).toBe(false);
  expect(() => lockDataDirectory(two.path)).toThrow("Another tokend is running");
  lockDataDirectory(one.path).release();
  lockTwo.release();
  lockDataDirectory(two.path).release();
});

test("asking whether a directory is in use makes nothing there", () => {
  using directory = tempDir();
  expect(isDataDirectoryLocked(directory.path)).toBe(false);
  expect(isDataDirectoryLocked(join(directory.path, "nowhere"))).toBe(false);
  expect(readdirSync(directory.path)).toEqual([]);
});

test("what is no lock file is not taken for a running server", async () => {
  using directory = tempDir();
  await Bun.write(
    join(directory.path, "tokend.lock"),
    "not a database, but long enough".repeat(99),
  );
  expect(() => lockDataDirectory(directory.path)).toThrow("not a database");
});
