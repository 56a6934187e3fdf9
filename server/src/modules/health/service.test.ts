import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import pino from "pino";
import { readConfig } from "../../config/config.ts";
import type { Env } from "../../config/kinds.ts";
import { settingsPrints } from "../../data/secrets.ts";
import type { DayBudget } from "../../domain/intake-limits.ts";
import type { ChainProbe } from "../../launchpad/chain/chain-launchpad.ts";
import { insertLaunch } from "../../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { SOLANA_SETTINGS } from "../../testing/solana-settings.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { ServerReports } from "../admin/service.ts";
import { ChainMonitor, DatabaseMonitor, HealthService } from "./service.ts";

const WELL: ChainProbe = { ok: true, problem: null, walletLamports: 5n };
const AWAY: ChainProbe = { ok: false, problem: "The RPC does not answer", walletLamports: null };

function setUp(probe: ChainProbe) {
  const temp = tempStore();
  const chain = new ScriptedLaunchpad();
  chain.probe = async () => probe;
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  const monitor = new ChainMonitor(chain, temp.clock, log);
  const database = new DatabaseMonitor(temp.store, log);
  const paused: { reason: string | null; budget: DayBudget | null } = {
    reason: null,
    budget: null,
  };
  const health = new HealthService({
    store: temp.store,
    chainMonitor: monitor,
    databaseMonitor: database,
    drain: { isDraining: false },
    network: () => null,
    pauseReason: (what) => (what === "launches" ? paused.reason : null),
    budget: { dayBudget: () => paused.budget },
  });
  return {
    temp,
    store: temp.store,
    chain,
    monitor,
    database,
    messages: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    paused,
    health,
    [Symbol.dispose]() {
      void monitor.stop();
      void database.stop();
      temp[Symbol.dispose]();
    },
  };
}

test("the service is ok once the chain was probed, if it and the database are well", async () => {
  using server = setUp(WELL);
  expect(await server.health.check()).toMatchObject({ ok: false, db: "connected" });
  await server.monitor.begin();
  const report = await server.health.check();
  expect(report).toEqual({ ok: true, db: "connected", timestamp: "2026-03-01T09:00:00.000Z" });
  expect(Value.Check(HealthSchema, report)).toBe(true);
});

test("a chain that does not answer is reported with the text of its probe", async () => {
  using server = setUp(AWAY);
  await server.monitor.begin();
  const report = await server.health.check();
  expect(report).toMatchObject({
    ok: false,
    db: "connected",
    operatorMessage: "The RPC does not answer",
  });
  expect(report.message).toContain("agents need do nothing");
  expect(Value.Check(HealthSchema, report)).toBe(true);
});

test("nodes that are left out and a pause are named, and the service stays ok", async () => {
  using server = setUp({ ...WELL, warning: "RPC: node 2 cannot be reached" });
  await server.monitor.begin();
  const report = await server.health.check();
  expect(report).toMatchObject({ ok: true, operatorMessage: "RPC: node 2 cannot be reached" });
  expect(report.message).toBeUndefined();
  server.paused.reason = "new keys until noon";
  const paused = "Launches are paused: new keys until noon";
  expect(await server.health.check()).toMatchObject({
    ok: true,
    message: paused,
    operatorMessage: `${paused}; RPC: node 2 cannot be reached`,
  });
});

test("a day's budget is named once most of it is spent", async () => {
  using server = setUp(WELL);
  await server.monitor.begin();
  const { launches } = server.store;
  const holder = "holder";
  const eventId = await insertLaunch(server.temp, "SPENT");
  await launches.lease(holder, 60_000);
  const limits = { walletLamports: 10_000n, minWalletLamports: 0n, maxDailyLamports: null };
  await launches.reserve(eventId, holder, { ...limits, lamports: 800n });
  const told = async (maxDailyLamports: bigint) => {
    server.paused.budget = { maxDailyLamports, launchLamports: 100n };
    const { ok, message, operatorMessage } = await server.health.check();
    expect({ ok, message }).toEqual({ ok: true, message: undefined });
    return operatorMessage;
  };
  expect(await told(1_001n)).toBeUndefined();
  const text = "Launches took 0.0000008 of 0.000001 SOL today (MAX_DAILY_SPEND_SOL)";
  expect(await told(1_000n)).toBe(text);
  expect(await told(899n)).toEndWith(", which pays for no other one before 00:00 UTC");
});

test("a closed database is reported without its cause", async () => {
  using server = setUp(WELL);
  await server.monitor.begin();
  await server.store.close();
  const report = await server.health.check();
  expect(report).toMatchObject({ ok: false, db: "disconnected" });
  expect(report.message).toBe("The database does not answer");
  expect(report.operatorMessage).toBe("The database does not answer; see the server's log");
  expect(Value.Check(HealthSchema, report)).toBe(true);
});

test("the chain is probed every few seconds until the monitor stops", async () => {
  using server = setUp(WELL);
  const { monitor, chain, temp } = server;
  let probes = 0;
  chain.probe = async () => (probes++ === 0 ? AWAY : WELL);
  await monitor.begin();
  expect(monitor.last).toEqual(AWAY);
  temp.clock.advance(2_250);
  await turns();
  expect(monitor.last).toEqual(WELL);
  void monitor.stop();
  temp.clock.advance(60_000);
  await turns();
  expect(probes).toBe(2);
});

test("a probe that throws is a problem, and the next one follows", async () => {
  using server = setUp(WELL);
  const { monitor, chain, temp } = server;
  chain.probe = () => Promise.reject(new Error("the ledger takes no writes"));
  await monitor.begin();
  expect(monitor.last).toMatchObject({ ok: false, problem: "The chain could not be probed" });
  chain.probe = async () => WELL;
  temp.clock.advance(2_250);
  await turns();
  expect(monitor.last).toEqual(WELL);
});

test("a writable database is not a problem, and a check does not change it", async () => {
  using server = setUp(WELL);
  const before = new Database(server.temp.path).query("select * from sqlite_schema").all();
  for (let i = 0; i < 3; i++) await server.database.begin();
  expect(server.database.problem).toBeNull();
  expect(server.messages()).toEqual([]);
  const client = new Database(server.temp.path);
  expect(client.query("select * from sqlite_schema").all()).toEqual(before);
  expect(client.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
});

test("a lock of another program is reported while it lasts, and logged once", async () => {
  using server = setUp(WELL);
  const other = new Database(server.temp.path);
  other.run("begin exclusive");
  for (let i = 0; i < 3; i++) await server.database.begin();
  expect(server.database.problem).toBe(
    "The database is locked by another program: end that program",
  );
  other.run("rollback");
  await server.database.begin();
  expect(server.database.problem).toBeNull();
  expect(server.messages()).toEqual([
    "The database is locked by another program: end that program",
    "database writable again",
  ]);
});

test("any other problem refers to the server's log", async () => {
  using server = setUp(WELL);
  await server.temp.store.close();
  await server.database.begin();
  expect(server.database.problem).toBe("The database cannot be written; see the server's log");
});

test("servers of a database whose settings differ say so while both run", async () => {
  using temp = tempStore();
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  const server = (id: string, env: Env = {}) => {
    const config = readConfig({ ...SOLANA_SETTINGS, JWT_SECRET: "j".repeat(32), ...env });
    const settings = settingsPrints(config, Buffer.alloc(32, id.length));
    const rest = { host: "host", pid: 7, url: "", version: "1", startedAt: 5, steeringVersion: 0 };
    return new ServerReports(temp.store, () => ({ id, ...rest, settings }), log);
  };
  const one = server("a");
  await one.begin();
  // What belongs to a machine may differ.
  const same = server("b", { PORT: "7", DATA_DIR: "/other", RPC_URL: "http://127.0.0.1:1" });
  await same.begin();
  const strange = { JWT_SECRET: "k".repeat(32), ADMISSION: "invite", MAX_DAILY_SPEND_SOL: "7" };
  const other = server("c", strange);
  const problems = () => [one, same, other].map(({ problem }) => problem);
  expect(problems()).toEqual([null, null, null]);
  await other.begin();
  await one.wake();
  const names = "JWT_SECRET, MAX_DAILY_SPEND_SOL, ADMISSION";
  const text = `Another server of this database has a different ${names}: give all servers the same`;
  expect(problems()).toEqual([text, null, text]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([text, text]);
  await other.stop();
  await one.wake();
  expect(problems()).toEqual([null, null, text]);
  await Promise.all([one.stop(), same.stop()]);
});
