import { expect, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import { ChainMonitor } from "../../modules/health/monitors.ts";
import type { RpcFetch } from "../../solana/connection.ts";
import { turns } from "../../testing/scripted-launchpad.ts";
import { testLaunchpad } from "./testing/test-launchpad.ts";

const TIMELY = "The Solana RPC does not answer in time";

/** A launchpad whose node answers probes after `delayMs`; null means never. */
function setUp() {
  const node = {
    delayMs: (_method: string): number | null => 0,
    asked: [] as string[],
    open: 0,
    mostOpen: 0,
  };
  const probeFetch: RpcFetch = async (input, init) => {
    const method = String(JSON.parse(String(init.body)).method);
    const delayMs = node.delayMs(method);
    node.asked.push(method);
    node.open += 1;
    node.mostOpen = Math.max(node.mostOpen, node.open);
    const answered = Promise.withResolvers<void>();
    init.signal?.addEventListener("abort", () => answered.reject(new Error("aborted")));
    if (delayMs !== null) clock.after(delayMs, answered.resolve);
    try {
      await answered.promise;
    } finally {
      node.open -= 1;
    }
    return rpc.fetch(input, init);
  };
  const { clock, connection, launchpad, rpc } = testLaunchpad({
    probeFetch,
    program: (inner) => ({
      ...inner,
      async checkConfig(through = connection) {
        await through.getSlot();
        return null;
      },
    }),
  });
  const monitor = new ChainMonitor(launchpad, clock, createLog("silent"));
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      clock.advance(50);
      await turns();
    }
  };
  return { node, monitor, pass };
}

test("a node that hangs right after a probe is reported within five seconds", async () => {
  const { node, monitor, pass } = setUp();
  monitor.start();
  while (!monitor.last.ok) await pass(50);
  node.delayMs = () => null;
  await pass(4_500);
  expect(monitor.last).toMatchObject({ ok: true });
  await pass(500);
  expect(monitor.last).toMatchObject({ ok: false, problem: TIMELY });
  node.delayMs = () => 0;
  await pass(5_000);
  expect(monitor.last).toMatchObject({ ok: true });
  void monitor.stop();
});

test("a node that hangs during a probe is reported as soon", async () => {
  const { node, monitor, pass } = setUp();
  // The node returns the accounts, but never answers the check of the program.
  node.delayMs = (method) => (method === "getSlot" ? null : 2_000);
  monitor.start();
  await pass(2_050);
  expect(node.asked.at(-1)).toBe("getSlot");
  await pass(2_500);
  expect(monitor.last).toMatchObject({ ok: false, problem: TIMELY });
  void monitor.stop();
});

test("a node that takes two seconds for every answer has no problem", async () => {
  const { node, monitor, pass } = setUp();
  node.delayMs = () => 2_000;
  monitor.start();
  await pass(4_050);
  for (let seconds = 0; seconds < 70; seconds++) {
    expect(monitor.last).toMatchObject({ ok: true });
    await pass(1_000);
  }
  void monitor.stop();
});

test("probes of a node that hangs do not pile up", async () => {
  const { node, monitor, pass } = setUp();
  node.delayMs = () => null;
  monitor.start();
  await pass(60_000);
  expect(node.mostOpen).toBe(3);
  void monitor.stop();
});

test("an idle minute takes 48 requests, and one each of what launches and claims ask besides", async () => {
  const { node, monitor, pass } = setUp();
  monitor.start();
  await pass(60_000);
  const count = (method: string) => node.asked.filter((asked) => asked === method).length;
  expect(count("getMultipleAccounts")).toBeLessThanOrEqual(27);
  // One more than every second probe, with the trial of all methods.
  expect(count("getHealth")).toBeLessThanOrEqual(15);
  expect(count("getEpochInfo")).toBeLessThanOrEqual(7);
  expect(count("simulateTransaction")).toBe(1);
  expect(node.asked.length).toBeLessThanOrEqual(48 + 11);
  expect(count("getSlot")).toBe(1);
  void monitor.stop();
});
