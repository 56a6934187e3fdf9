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

test("the process's CPU time and the event loop's lag are measured", async () => {
  const metrics = new Metrics();
  await metrics.text();
  for (const end = performance.now() + 300; performance.now() < end; );
  await Bun.sleep(20);
  const text = await metrics.text();
  const read = (name: string) => Number(new RegExp(`^${name} (.+)`, "m").exec(text)?.[1]);
  expect(read("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0.25);
  expect(read("process_cpu_seconds_total")).toBeGreaterThan(0);
});
