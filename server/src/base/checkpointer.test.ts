import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, symlinkSync } from "node:fs";
import pino from "pino";
import { insertLaunch } from "../testing/launches.ts";
import { tempStore } from "../testing/temp-store.ts";
import { Checkpointer } from "./checkpointer.ts";

/** Returns the number of launches in the database's file, without those in its log. */
function launchesInFile(path: string): number {
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  using db = new Database(copy);
  try {
    return db.query<{ n: number }, []>("select count(*) as n from launches").get()?.n ?? 0;
  } catch {
    // Its tables are still in the log, or it changed during the copy.
    return 0;
  }
}

test("commits are copied into the database's file", async () => {
  using temp = tempStore();
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  const checkpointer = new Checkpointer(temp.path, log);
  for (const [index, ticker] of ["ONE", "TWO", "THREE"].entries()) {
    await insertLaunch(temp, ticker);
    while (launchesInFile(temp.path) !== index + 1) await Bun.sleep(10);
  }
  await checkpointer.stop();
  expect(lines).toEqual([]);
});

test("a lasting problem is logged once", async () => {
  using temp = tempStore();
  const path = `${temp.path}.without-log`;
  await Bun.write(path, "");
  const logs: [string[], string[]] = [[], []];
  const [lines, others] = logs;
  const start = (log: string[]) =>
    new Checkpointer(path, pino({}, { write: (line) => log.push(line) }));
  const first = start(lines);
  while (lines.length === 0) await Bun.sleep(10);
  // Another checkpointer, which checks as often, has found it too.
  const other = start(others);
  while (others.length === 0) await Bun.sleep(10);
  symlinkSync(`${path}-wal`, `${path}-wal`);
  while (logs.some((log) => log.length < 2)) await Bun.sleep(10);
  await Promise.all([first.stop(), other.stop()]);
  for (const log of logs) {
    expect(log).toEqual([expect.stringContaining("ENOENT"), expect.stringContaining("ELOOP")]);
  }
});

test("the end of the thread is logged", async () => {
  using temp = tempStore();
  const { promise, resolve } = Promise.withResolvers<string>();
  const log = pino({ base: null, timestamp: false }, { write: resolve });
  const checkpointer = new Checkpointer(`${temp.path}.elsewhere`, log);
  expect(await promise).toContain("unable to open database file");
  await checkpointer.stop();
});
