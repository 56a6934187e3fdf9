import { expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { ChainMonitor, DatabaseMonitor } from "../modules/health/service.ts";
import { insertLaunch } from "../testing/launches.ts";
import { ScriptedLaunchpad } from "../testing/scripted-launchpad.ts";
import { tempStore } from "../testing/temp-store.ts";
import { Metrics } from "./metrics.ts";

test("the queue's metrics come from the database, and the others go on without it", async () => {
  using temp = tempStore();
  const { store, clock } = temp;
  const log = createLog("silent");
  const chainMonitor = new ChainMonitor(new ScriptedLaunchpad(), store.clock, log);
  const databaseMonitor = new DatabaseMonitor(store, log);
  const metrics = new Metrics();
  const pauseReason = () => "new keys";
  const budget = { dayBudget: () => ({ maxDailyLamports: 500_000_000n, launchLamports: 1n }) };
  metrics.watch({
    store,
    chainMonitor,
    databaseMonitor,
    rpcNodes: null,
    pauseReason,
    budget,
    routes: [],
    databaseFolder: null,
    uncollected: async () => 5n,
  });
  await insertLaunch(temp, "ONE");
  clock.advance(5_000);
  const text = await metrics.text();
  expect(text).toContain("tokend_launch_queue_depth 1\n");
  expect(text).toContain("tokend_launch_queue_oldest_seconds 5\n");
  expect(text).toContain("tokend_database_writable 1\n");
  expect(text).toContain("tokend_launches_paused 1\n");
  expect(text).toContain("tokend_daily_limit_sol 0.5\n");
  await store.close();
  await databaseMonitor.begin();
  await databaseMonitor.stop();
  const without = await metrics.text();
  expect(without).toContain("tokend_launch_queue_depth Nan\n");
  expect(without).toContain("tokend_database_writable 0\n");
});

test("only a whole round of the pool watch sets its time", async () => {
  const metrics = new Metrics();
  const round = { milliseconds: 1_500, endedAt: 7_000 };
  metrics.onPoolRound({ ...round, outcome: "other_server" });
  metrics.onPoolRound({ ...round, outcome: "failed" });
  expect(await metrics.text()).toContain("tokend_pool_watch_round_seconds Nan\n");
  metrics.onPoolRound({ ...round, outcome: "done" });
  const text = await metrics.text();
  for (const line of [
    ...["done", "other_server", "failed"].map((it) => `rounds_total{outcome="${it}"} 1`),
    ...["round_seconds 1.5", "last_round_timestamp_seconds 7"],
  ]) {
    expect(text).toContain(`tokend_pool_watch_${line}\n`);
  }
});
