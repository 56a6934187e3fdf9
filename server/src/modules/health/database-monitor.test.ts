import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import pino from "pino";
import { tempStore } from "../../testing/temp-store.ts";
import { DatabaseMonitor } from "./monitors.ts";

function setUp() {
  const temp = tempStore();
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  const monitor = new DatabaseMonitor(temp.store, log);
  return {
    temp,
    monitor,
    messages: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    [Symbol.dispose]() {
      void monitor.stop();
      temp[Symbol.dispose]();
    },
  };
}

test("a writable database is not a problem, and a check does not change it", async () => {
  using server = setUp();
  const before = new Database(server.temp.path).query("select * from sqlite_schema").all();
  for (let i = 0; i < 3; i++) await server.monitor.begin();
  expect(server.monitor.problem).toBeNull();
  expect(server.messages()).toEqual([]);
  const client = new Database(server.temp.path);
  expect(client.query("select * from sqlite_schema").all()).toEqual(before);
  expect(client.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
});

test("a lock of another program is reported while it lasts, and logged once", async () => {
  using server = setUp();
  const other = new Database(server.temp.path);
  other.run("begin exclusive");
  for (let i = 0; i < 3; i++) await server.monitor.begin();
  expect(server.monitor.problem).toBe(
    "The database is locked by another program: end that program",
  );
  other.run("rollback");
  await server.monitor.begin();
  expect(server.monitor.problem).toBeNull();
  expect(server.messages()).toEqual([
    "The database is locked by another program: end that program",
    "database writable again",
  ]);
});

test("a check does not wait for a lock", async () => {
  using server = setUp();
  const other = new Database(server.temp.path);
  other.run("begin exclusive");
  const started = performance.now();
  for (let i = 0; i < 100; i++) await server.monitor.begin();
  // A wait for the lock alone would take 100 ms each time.
  expect(performance.now() - started).toBeLessThan(10_000);
  other.run("rollback");
});

test("any other problem refers to the server's log", async () => {
  using server = setUp();
  await server.temp.store.close();
  await server.monitor.begin();
  expect(server.monitor.problem).toBe("The database cannot be written; see the server's log");
});
