import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { tempFolder } from "../support/processes.ts";
import type { Latency } from "./latency.ts";
import { figures, isLong } from "./scale.ts";
import { openSlowClients } from "./slow-client.ts";
import { startFromSource } from "./source-server.ts";

const CLIENTS = 2_000;
const HELD_SECONDS = 35;
const MEMORY_MB = 200;

/** Megabytes that a process holds (`VmRSS`), or held at most (`VmHWM`); Linux only. */
function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

function latency(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Number((sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}

// A smaller one, without a look at the memory, is beside `listen` in server/src/serve.test.ts.
test.skipIf(!isLong)(
  `${CLIENTS} slow clients cost less than ${MEMORY_MB} MB, are let go within ${HELD_SECONDS} s, and others are served`,
  async () => {
    using folder = tempFolder();
    await using server = await startFromSource(folder.path);
    /** Asks as others do, once. @returns milliseconds */
    const ask = async (): Promise<number> => {
      const asked = performance.now();
      const response = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(5_000) });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      return performance.now() - asked;
    };
    while (!(await fetch(`${server.url}/health`)).ok) await Bun.sleep(10);
    const idle: number[] = [];
    for (let i = 0; i < 500; i++) idle.push(await ask());
    const before = memoryOf(server.pid, "VmRSS");

    const clients = openSlowClients(new URL(server.url), CLIENTS);
    let held = true;
    const closed = clients.closed.finally(() => {
      held = false;
    });
    const busy: number[] = [];
    while (held) {
      busy.push(await ask());
      await Bun.sleep(10);
    }
    const results = await closed;
    const cost = memoryOf(server.pid, "VmHWM") - before;

    for (const { kind, ...result } of results) figures(`slow clients, ${kind}`, result);
    figures("slow clients, all", {
      megabytesBefore: Math.round(before),
      megabytesMore: Math.round(cost),
      othersIdle: latency(idle),
      othersMeanwhile: latency(busy),
    });

    for (const { kind, last } of results) {
      expect({ kind, inTime: last <= HELD_SECONDS }).toEqual({
        kind,
        inTime: true,
      });
    }
    expect(cost).toBeLessThan(MEMORY_MB);
    expect(latency(busy).p99).toBeLessThan(250);
  },
  90_000,
);
