import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import pino from "pino";
import { insertLaunch } from "../testing/launches.ts";
import { tempStore } from "../testing/temp-store.ts";
import { Checkpointer } from "./checkpointer.ts";

/** @returns the number of launches in the database's file, without those in its log */
function launchesInFile(path: string): number {
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  using db = new Database(copy);
  try {
    return db.query<{ n: number }, []>("select count(*) as n from launches").get()?.n ?? 0;
  } catch {
    // Its tables are still in the log, or it was copied while it changed.
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

test("a stopped checkpointer copies nothing", async () => {
  using temp = tempStore();
  const checkpointer = new Checkpointer(temp.path, pino({ level: "silent" }));
  await insertLaunch(temp, "ONE");
  while (launchesInFile(temp.path) !== 1) await Bun.sleep(10);
  await checkpointer.stop();
  await insertLaunch(temp, "TWO");
  // Another one, which checks as often, copies a commit and then a second one.
  using other = tempStore();
  const running = new Checkpointer(other.path, pino({ level: "silent" }));
  for (const [index, ticker] of ["ONE", "TWO"].entries()) {
    await insertLaunch(other, ticker);
    while (launchesInFile(other.path) !== index + 1) await Bun.sleep(10);
  }
  await running.stop();
  expect(launchesInFile(temp.path)).toBe(1);
});

test("a lasting problem is logged once", async () => {
  using temp = tempStore();
  const { promise, resolve } = Promise.withResolvers<string>();
  const log = pino({ base: null, timestamp: false }, { write: resolve });
  const checkpointer = new Checkpointer(`${temp.path}.elsewhere`, log);
  expect(await promise).toContain("unable to open database file");
  await checkpointer.stop();
});
