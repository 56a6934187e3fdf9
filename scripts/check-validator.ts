/**
 * Runs what the product promises on real nodes, one after another: `bun run check:validator`. Needs
 * `bun run build`, Meteora's programs, and `solana-test-validator` on the path or named by `VALIDATOR`.
 */
import { join } from "node:path";
import { VALIDATOR } from "../test/validator/node.ts";

const ROOT = join(import.meta.dir, "..");
const SMOKE = "test/validator/smoke.test.ts";
const SOAK = "test/validator/soak.ts";
const LIVES = ["test/e2e/agent-launch.test.ts"];
const CRASHES = ["test/chaos/crashes.test.ts", "-t", "on Meteora's programs"];

/** What runs on each node: the arguments of one `bun test` each. */
const RUNS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  tower: [
    [
      ...[SMOKE, SOAK, ...LIVES],
      "test/e2e/hand-over.test.ts",
      "test/e2e/launch-signer.test.ts",
      "test/e2e/claim-signers.test.ts",
    ],
    CRASHES,
  ],
  alpenglow: [[SMOKE, SOAK, ...LIVES, "test/e2e/hand-over.test.ts"], CRASHES],
  "tower-200": [[SMOKE, ...LIVES]],
  "alpenglow-200": [[SMOKE, ...LIVES]],
};

if (VALIDATOR === null) process.exit(1);
const failed: string[] = [];
for (const [node, runs] of Object.entries(RUNS)) {
  for (const args of runs) {
    const startedAt = performance.now();
    const paths = args.map((arg) => (arg.endsWith(".ts") ? `./${arg}` : arg));
    const tests = Bun.spawn(["bun", "test", "--timeout", "300000", ...paths], {
      cwd: ROOT,
      env: { ...process.env, TEST_NODE: node, BINARIES: join(ROOT, "dist") },
      stdio: ["inherit", "inherit", "inherit"],
    });
    if ((await tests.exited) !== 0) failed.push(`${node}: ${args.join(" ")}`);
    console.log(`${node}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
}
for (const run of failed) console.log(`failed: ${run}`);
process.exit(failed.length === 0 ? 0 : 1);
