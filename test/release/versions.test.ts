import { expect, test } from "bun:test";
import { join } from "node:path";
import cli from "../../cli/package.json" with { type: "json" };
import root from "../../package.json" with { type: "json" };
import {
  changesOf,
  compareRelease,
  type ReleaseState,
  readReleaseState,
  versionOf,
} from "../../scripts/release/versions.ts";
import sdk from "../../sdk/package.json" with { type: "json" };
import { succeed } from "../support/packages.ts";
import { ROOT } from "../support/processes.ts";

const ready: ReleaseState = {
  versions: { "@tokenctl/sdk": "1.2.0", tokenctl: "1.2.0" },
  changelog: "# Changelog\n\n## 1.2.0\n\n- It does more.\n\n## 1.1.0\n\n- It did less.\n",
  changesets: [],
  tagged: ["1.1.0", "1.2.0-beta", "1.2.0"],
  taggedCommit: "c0ffee",
  head: "c0ffee",
  changedFiles: [],
  withoutRepository: [],
  repository: "owner/name",
  mcpName: "io.github.owner/tokenctl",
};

test("a release whose versions, changelog and tag agree has nothing left to do", () => {
  expect(compareRelease(ready)).toEqual({ errors: [], unfinished: [] });
  expect(versionOf(ready)).toBe("1.2.0");
  expect(changesOf(ready.changelog, "1.2.0")).toBe("- It does more.");
  expect(changesOf(ready.changelog, "1.1.0")).toBe("- It did less.");
  expect(changesOf("## Unreleased\n\n- More.\n", "1.2.0")).toBe("- More.");
});

const wrong: Record<string, [Partial<ReleaseState>, string]> = {
  "packages of two versions": [{ versions: { a: "1.2.0", b: "1.1.0" } }, "a 1.2.0, b 1.1.0"],
  "a changelog without the version": [
    { changelog: "## 1.2.0-beta\n\n- Almost.\n\n## 11.2.0\n\n- Later." },
    'no section "## 1.2.0"',
  ],
  "a changelog that says nothing": [
    { changelog: "## 1.2.0\n\n## 1.1.0\n\n- Old." },
    "says nothing about 1.2.0",
  ],
  "a changelog that is ahead": [
    { changelog: `## 1.3.0\n\n- More.\n\n${ready.changelog}` },
    "begins with 1.3.0, the packages have 1.2.0",
  ],
  "changes that are newer than the version": [
    { changelog: `## Unreleased\n\n- More.\n\n${ready.changelog}` },
    "begins with Unreleased, the packages have 1.2.0",
  ],
  "a tag of a later version": [
    { tagged: ["1.2.0", "1.10.0"] },
    "the tag v1.10.0 is of a later version than 1.2.0",
  ],
  "the tag at another commit": [{ taggedCommit: "deed" }, "v1.2.0 tags another commit"],
};
for (const [what, [change, saw]] of Object.entries(wrong)) {
  test(`even a rehearsal stops at ${what}`, () => {
    const { errors, unfinished } = compareRelease({ ...ready, ...change });
    expect(errors.join()).toContain(saw);
    expect({ count: errors.length, unfinished }).toEqual({ count: 1, unfinished: [] });
  });
}

const early: Record<string, [Partial<ReleaseState>, string]> = {
  "no tag": [{ taggedCommit: null }, "no tag v1.2.0"],
  "a version that is called unreleased": [
    { changelog: "## Unreleased\n\n- More.\n\n## 1.1.0\n\n- It did less.\n" },
    "calls 1.2.0 Unreleased",
  ],
  "changesets that wait": [{ changesets: ["brave-cat.md"] }, "brave-cat.md"],
  "files that differ from the commit": [{ changedFiles: [" M README.md"] }, "M README.md"],
  "an mcpName of another owner": [
    { mcpName: "io.github.other/tokenctl" },
    "mcpName in cli/package.json must be io.github.owner/tokenctl",
  ],
  "a package that names no repository": [{ withoutRepository: ["sdk"] }, "sdk/package.json"],
};
for (const [what, [change, saw]] of Object.entries(early)) {
  test(`only a rehearsal goes on with ${what}`, () => {
    const { errors, unfinished } = compareRelease({ ...ready, ...change });
    expect(unfinished.join()).toContain(saw);
    expect({ errors, count: unfinished.length }).toEqual({ errors: [], count: 1 });
  });
}

test("this repository's versions and changelog agree", async () => {
  const state = await readReleaseState(ROOT);
  expect(compareRelease(state).errors).toEqual([]);
  const parts = changesOf(state.changelog, versionOf(state) ?? "")?.match(/^### .*$/gm);
  expect(parts).toEqual(["### For agents", "### For operators"]);
});

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
  const matrix = await Bun.file(join(ROOT, "test/packages/runtimes.ts")).text();
  expect(matrix).toContain(`@${FLOOR}.0\``);
});

test("the SDK accepts security patches of what it depends on", () => {
  for (const range of Object.values(sdk.dependencies)) expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
});
