import { expect, test } from "bun:test";
import { basename, join } from "node:path";
import { consoleBundle } from "./build.ts";

test("all of the page is at most 120 kB, and what a visitor loads 45 kB", async () => {
  const { outputs } = await Bun.build(consoleBundle(join(import.meta.dir, "..")));
  const files = await Promise.all(
    outputs.map(async (output) => ({
      name: basename(output.path),
      text: await output.text(),
      isFirst: output.kind === "entry-point" || output.path.endsWith(".css"),
    })),
  );
  const first = new Set(files.filter(({ isFirst }) => isFirst));
  // What a script imports at once is loaded with it.
  for (const { text } of first) {
    for (const [, name] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      for (const file of files) if (file.name === name) first.add(file);
  }
  const sizeOf = (of: Iterable<{ readonly text: string }>) =>
    [...of].reduce((sum, { text }) => sum + Bun.gzipSync(text, { level: 9 }).length, 0);
  expect(sizeOf(files)).toBeLessThanOrEqual(120_000);
  expect(sizeOf(first)).toBeLessThanOrEqual(45_000);
});
