import { expect, jest, test } from "bun:test";
import { dirname } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { HealthSchema } from "@tokenctl/shared/response-schemas";
import { createLog } from "../../base/log.ts";
import type { ChainProbe } from "../../launchpad/launchpad.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { ChainMonitor } from "./chain-monitor.ts";
import { DatabaseMonitor } from "./database-monitor.ts";
import { HealthService } from "./service.ts";

const WELL: ChainProbe = { ok: true, problem: null, walletLamports: 5n };
const AWAY: ChainProbe = { ok: false, problem: "The RPC does not answer", walletLamports: null };

function setUp() {
  const temp = tempStore();
  const chain = new ScriptedLaunchpad();
  const log = createLog("silent");
  const monitor = new ChainMonitor(chain, log);
  const database = new DatabaseMonitor(temp.store, dirname(temp.path), log);
  const health = new HealthService(temp.store, monitor, database, temp.clock);
  return { temp, chain, monitor, health };
}

test("all is well", async () => {
  const { temp, chain, monitor, health } = setUp();
  chain.probe = async () => WELL;
  await monitor.start();
  expect(health.check()).toEqual({
    ok: true,
    db: "connected",
    timestamp: "2026-03-01T09:00:00.000Z",
  });
  expect(Value.Check(HealthSchema, health.check())).toBe(true);
  monitor.stop();
  temp[Symbol.dispose]();
});

test("it is not well before the chain was looked at", () => {
  const { temp, health } = setUp();
  expect(health.check()).toMatchObject({ ok: false, db: "connected" });
  temp[Symbol.dispose]();
});

test("a chain that is away is told in its words", async () => {
  const { temp, chain, monitor, health } = setUp();
  chain.probe = async () => AWAY;
  await monitor.start();
  const report = health.check();
  expect(report).toMatchObject({ ok: false, db: "connected", message: "The RPC does not answer" });
  expect(Value.Check(HealthSchema, report)).toBe(true);
  monitor.stop();
  temp[Symbol.dispose]();
});

test("a database that is away is told, and nothing of why", async () => {
  const { temp, chain, monitor, health } = setUp();
  chain.probe = async () => WELL;
  await monitor.start();
  temp.store.close();
  const report = health.check();
  expect(report).toMatchObject({ ok: false, db: "disconnected" });
  expect(report.message).toBe("The database does not answer; see the server's log");
  expect(Value.Check(HealthSchema, report)).toBe(true);
  monitor.stop();
  temp[Symbol.dispose]();
});

test("the chain is looked at every few seconds until the monitor stops", async () => {
  jest.useFakeTimers();
  try {
    const { temp, chain, monitor } = setUp();
    let probes = 0;
    chain.probe = async () => (probes++ === 0 ? AWAY : WELL);
    await monitor.start();
    expect(monitor.last).toEqual(AWAY);
    jest.advanceTimersByTime(2_250);
    await turns();
    expect(monitor.last).toEqual(WELL);
    monitor.stop();
    jest.advanceTimersByTime(60_000);
    await turns();
    expect(probes).toBe(2);
    temp[Symbol.dispose]();
  } finally {
    jest.useRealTimers();
  }
});

test("a look that is under way when the monitor stops is the last", async () => {
  jest.useFakeTimers();
  try {
    const { temp, chain, monitor } = setUp();
    const probe = Promise.withResolvers<ChainProbe>();
    let probes = 0;
    chain.probe = () => {
      probes++;
      return probe.promise;
    };
    const started = monitor.start();
    monitor.stop();
    probe.resolve(WELL);
    await started;
    jest.advanceTimersByTime(60_000);
    await turns();
    expect(probes).toBe(1);
    temp[Symbol.dispose]();
  } finally {
    jest.useRealTimers();
  }
});
