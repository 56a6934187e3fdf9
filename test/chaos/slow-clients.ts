/**
 * Slow clients: connections that never finish a request. Starts a server, opens thousands of them,
 * and measures what they cost, how long they are held, and how others fare meanwhile.
 *
 *   bun test/chaos/slow-clients.ts [--clients 2000] [--tokend dist/tokend]
 *
 * Everything stays on the loopback interface and ends by itself within a minute.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, startProcess, tempFolder } from "../support/processes.ts";
import { openSlowClients } from "./slow-client.ts";

const HOLD_LIMIT_SECONDS = 35;
const MEMORY_LIMIT_MB = 200;

const { values: options } = parseArgs({
  options: { clients: { type: "string", default: "2000" }, tokend: { type: "string" } },
});

const count = Number(options.clients);
using folder = tempFolder();
await using server = await startProcess(
  options.tokend ? [options.tokend] : [process.execPath, join(ROOT, "server/src/main.ts")],
  {
    cwd: folder.path,
    env: { PORT: "0", DATA_DIR: join(folder.path, "data"), RATE_LIMIT_AUTH_PER_MINUTE: "0" },
    ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
  },
);

/** Megabytes that the server holds (`VmRSS`) or held at most (`VmHWM`); Linux only. */
function memory(field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** What others meet meanwhile, in milliseconds. */
const latencies: number[] = [];
let failures = 0;
async function ask(): Promise<void> {
  const started = performance.now();
  try {
    const response = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    if (!response.ok) failures++;
  } catch {
    failures++;
  }
  latencies.push(performance.now() - started);
}
const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

for (let i = 0; i < 200; i++) await ask();
const idle = latencies.splice(0).sort((a, b) => a - b);
const before = memory("VmRSS");
failures = 0;

const clients = openSlowClients(new URL(server.url), count);
let asking = true;
const others = (async () => {
  while (asking) {
    await ask();
    await Bun.sleep(20);
  }
})();
const results = await Promise.race([
  clients.closed,
  Bun.sleep((HOLD_LIMIT_SECONDS + 15) * 1000).then(() => clients.snapshot()),
]);
asking = false;
await others;
clients.stop();

const cost = memory("VmHWM") - before;
const busy = latencies.sort((a, b) => a - b);
console.log(`slow clients          ${count}`);
console.log("kind                  clients   held s (first..last)   answered");
for (const { kind, clients: number, first, last, open, answers } of results) {
  const held = open > 0 ? `${open} STILL OPEN` : `${first.toFixed(1)}..${last.toFixed(1)}`;
  console.log(`${kind.padEnd(22)}${String(number).padEnd(10)}${held.padEnd(23)}${answers}`);
}
console.log(
  `memory at its highest +${cost.toFixed(0)} MB (limit ${MEMORY_LIMIT_MB}), before ${before.toFixed(0)} MB`,
);
console.log(
  `others' /health       p50 ${percentile(busy, 0.5).toFixed(1)} ms, p99 ${percentile(busy, 0.99).toFixed(1)} ms, ` +
    `${failures} of ${busy.length} failed (idle: p50 ${percentile(idle, 0.5).toFixed(1)} ms, p99 ${percentile(idle, 0.99).toFixed(1)} ms)`,
);
const ok =
  failures === 0 &&
  cost < MEMORY_LIMIT_MB &&
  results.every(({ open, last }) => open === 0 && last <= HOLD_LIMIT_SECONDS);
console.log(ok ? "PASSED" : "FAILED");
process.exitCode = ok ? 0 : 1;
