import { expect, test } from "bun:test";
import { MEASURED, startTokend, TOKEND, tempFolder } from "../support/processes.ts";
import { latencyOf } from "./latency.ts";
import { memoryOf } from "./memory.ts";
import { figures, isLong } from "./scale.ts";
import { openSlowClients } from "./slow-client.ts";

const CLIENTS = 2_000;
const HELD_SECONDS = 35;
const MEMORY_MB = 200;

const MIB = 1_024 * 1_024;

// server/src/http/listen.test.ts has a short form that does not read the memory.
test.skipIf(!isLong)(
  `${CLIENTS} slow clients cost less than ${MEMORY_MB} MB and are closed within ${HELD_SECONDS} s while others are served (runs in \`bun run chaos\`)`,
  async () => {
    using folder = tempFolder();
    await using server = await startTokend(TOKEND, folder.path, MEASURED);
    /** Sends one request of another client. @returns milliseconds to its answer */
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
    const cost = (memoryOf(server.pid, "VmHWM") - before) / MIB;

    for (const { kind, ...result } of results) figures(`slow clients, ${kind}`, result);
    figures("slow clients, all", {
      megabytesBefore: Math.round(before / MIB),
      megabytesMore: Math.round(cost),
      othersIdle: latencyOf(idle),
      othersMeanwhile: latencyOf(busy),
    });

    for (const { kind, last } of results) {
      expect({ kind, isInTime: last <= HELD_SECONDS }).toEqual({ kind, isInTime: true });
    }
    expect(cost).toBeLessThan(MEMORY_MB);
    expect(latencyOf(busy).p99).toBeLessThan(250);
  },
);
