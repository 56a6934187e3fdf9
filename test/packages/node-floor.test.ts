import { expect, test } from "bun:test";
import { join } from "node:path";
import cli from "../../cli/package.json" with { type: "json" };
import root from "../../package.json" with { type: "json" };
import sdk from "../../sdk/package.json" with { type: "json" };
import { succeed } from "../support/packages.ts";
import { ROOT } from "../support/processes.ts";

const FLOOR = "20.19";

test("all packages and texts name the same oldest Node, and the tests run on it", async () => {
  for (const { engines } of [root, sdk, cli]) expect(engines.node).toBe(`>=${FLOOR}.0`);
  const files = (await succeed(["git", "ls-files", "*.md"], ROOT)).trim().split("\n");
  const named = new Set<string>();
  for (const file of files) {
    const text = await Bun.file(join(ROOT, file)).text();
    for (const [, version = ""] of text.matchAll(/Node (?:≥ )?(\d+\.\d+)/g)) {
      // RESULTS names the Node that it was measured on.
      if (!file.startsWith("bench/")) named.add(version);
    }
  }
  expect([...named]).toEqual([FLOOR]);
  const matrix = await Bun.file(join(import.meta.dir, "runtimes.ts")).text();
  expect(matrix).toContain(`@${FLOOR}.0\``);
});

test("the SDK accepts security patches of what it depends on", () => {
  for (const range of Object.values(sdk.dependencies)) expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
});
