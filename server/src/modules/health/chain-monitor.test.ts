import { afterEach, beforeEach, expect, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import type { ChainProbe } from "../../launchpad/chain/probe.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { ChainMonitor } from "./monitors.ts";

const WELL: ChainProbe = { ok: true, problem: null, walletLamports: 5n };
const AWAY: ChainProbe = { ok: false, problem: "The RPC does not answer", walletLamports: null };

let chain: ScriptedLaunchpad;
let clock: ManualClock;
let monitor: ChainMonitor;
beforeEach(() => {
  clock = new ManualClock();
  chain = new ScriptedLaunchpad();
  monitor = new ChainMonitor(chain, clock, createLog("silent"));
});
afterEach(() => monitor.stop());

test("the chain is probed every few seconds until the monitor stops", async () => {
  let probes = 0;
  chain.probe = async () => (probes++ === 0 ? AWAY : WELL);
  await monitor.begin();
  expect(monitor.last).toEqual(AWAY);
  clock.advance(2_250);
  await turns();
  expect(monitor.last).toEqual(WELL);
  void monitor.stop();
  clock.advance(60_000);
  await turns();
  expect(probes).toBe(2);
});

test("a probe that throws is a problem, and the next one follows", async () => {
  let probes = 0;
  chain.probe = async () => {
    if (probes++ === 0) throw new Error("the ledger takes no writes");
    return WELL;
  };
  await monitor.begin();
  expect(monitor.last).toMatchObject({ ok: false, problem: "The chain could not be probed" });
  clock.advance(2_250);
  await turns();
  expect(monitor.last).toEqual(WELL);
});
