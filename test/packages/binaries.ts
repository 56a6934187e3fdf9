/** Binaries for another platform. `bun run check:packages` runs it. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { assertHoldsAddon, buildBinaries, targets } from "../../scripts/release/binaries.ts";
import { ROOT, tempDir } from "../support/processes.ts";

setDefaultTimeout(240_000);

const folder = tempDir();
afterAll(() => folder[Symbol.dispose]());

const mac = targets.find(({ name }) => name === "darwin-arm64");
if (!mac) throw new Error("no such target");

test("a build that would lack its addon fails, though the compiler does not", async () => {
  const packagesOfLinux = { ...mac, os: "linux", cpu: "x64", name: "wrong" };
  const missing = buildBinaries(packagesOfLinux, ROOT, "HEAD", folder.path);
  await expect(missing).rejects.toThrow("litesvm-darwin-arm64 is not installed");
  const other = { ...packagesOfLinux, addon: "litesvm-linux-x64-gnu" };
  const lacking = buildBinaries(other, ROOT, "HEAD", folder.path);
  await expect(lacking).rejects.toThrow("does not hold LiteSVM's addon");
  expect(await readdir(folder.path)).toContain("tokend-wrong");
});

test("an empty addon is in no program", async () => {
  const empty = join(folder.path, "empty.node");
  await Bun.write(empty, "");
  await expect(assertHoldsAddon(empty, empty)).rejects.toThrow("does not hold");
});
