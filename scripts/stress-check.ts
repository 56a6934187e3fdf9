/**
 * `bun run stress [--runs N] [PATH…]` runs the tests, all by default, on a machine that is busy: two
 * processes spin on each core, and one evicts the disk cache. A test that fails here and not on a
 * quiet machine depends on its speed. Ends at the first run that fails.
 */
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const SPINNING_PER_CORE = 2;
/** Several times what all tests take under this load: a run that hangs fails. */
const LONGEST_RUN_MS = 60 * 60_000;

const root = join(import.meta.dir, "..");
const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "1" } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) throw new Error("--runs needs a positive number");

const isBuilt = (await start("run", "build").exited) === 0;
const load = [
  ...Array.from({ length: SPINNING_PER_CORE * availableParallelism() }, () =>
    start("-e", "for (;;) {}"),
  ),
  start("scripts/evict-cache.ts"),
];
let passed = 0;
while (isBuilt && passed < runs) {
  const began = performance.now();
  const tests = start("test/run.ts", ...positionals);
  const deadline = setTimeout(() => tests.kill("SIGKILL"), LONGEST_RUN_MS);
  const exitCode = await tests.exited;
  clearTimeout(deadline);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(
    `Run ${passed + 1} of ${runs} ${exitCode === 0 ? "passed" : "failed"} in ${seconds} s`,
  );
  if (exitCode !== 0) break;
  if (load.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)) {
    console.log("It does not count: a process of the load has ended");
    break;
  }
  passed += 1;
}
for (const process of load) process.kill("SIGKILL");
process.exit(passed === runs ? 0 : 1);

/** Starts a program of Bun in the repository's root. It ends when this process ends in any way. */
function start(...args: readonly string[]) {
  return Bun.spawn([process.execPath, "--no-orphans", ...args], {
    cwd: root,
    // Tests keep their files on the disk then.
    env: { ...process.env, TMPDIR: tmpdir() },
    stdio: ["ignore", "inherit", "inherit"],
  });
}
