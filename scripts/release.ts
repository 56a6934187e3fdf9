/**
 * Makes all artefacts of a release in `dist/release/`: the packages for npm, the binaries of four
 * platforms, a bill of materials, notes and checksums. It publishes nothing: the workflow
 * `.github/workflows/release.yml` does. `--dry-run` rehearses a release whose tag is still to come.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { buildBinaries, runnerFor, targets } from "./release/binaries.ts";
import { debianPackages, formula, serverJson } from "./release/install-files.ts";
import { shippedPackages, toCycloneDx } from "./release/sbom.ts";
import { tryBinaries } from "./release/try-binaries.ts";
import { changesOf, compareRelease, readReleaseState, versionOf } from "./release/versions.ts";

const root = join(import.meta.dir, "..");
const folder = join(root, "dist/release");

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false } },
});

const state = await readReleaseState(root);
const { errors, unfinished } = compareRelease(state);
const stopping = values["dry-run"] ? errors : [...errors, ...unfinished];
for (const problem of stopping) console.error(`error: ${problem}`);
for (const problem of values["dry-run"] ? unfinished : []) console.log(`still to do: ${problem}`);
const version = versionOf(state);
if (version === null || stopping.length > 0) process.exit(1);

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

// Packing builds each package first.
for (const name of ["sdk", "cli"]) {
  await $`bun pm pack --destination ${folder} --quiet`.cwd(join(root, name)).quiet();
}
console.log("packed @tokenctl/sdk and tokenctl for npm");

const notes: string[] = [];
for (const target of targets) {
  const built = await buildBinaries(target, root, state.head, folder);
  const runner = runnerFor(target);
  if (runner) await tryBinaries(folder, target.name, runner);
  if (target.os === "linux" && Bun.which("dpkg-deb") !== null) {
    built.push(...(await debianPackages(target, { root, folder, version })));
  }
  const fate =
    runner === null
      ? "built with LiteSVM's addon inside, not run on the machine that built it"
      : runner.length === 0
        ? "built, and run with a sandbox"
        : "built, and run with a sandbox under emulation";
  notes.push(`- ${built.join(", ")}: ${fate}`);
  console.log(`${built.join(" and ")}: ${fate}`);
}

const inside = await shippedPackages(root);
await Bun.write(join(folder, "sbom.cdx.json"), toCycloneDx(version, inside));
console.log(`listed ${inside.length} packages in sbom.cdx.json`);

await Bun.write(
  join(folder, "NOTES.md"),
  `${changesOf(state.changelog, version)}\n\n## Artefacts\n\n${notes.join("\n")}\n`,
);
const { repository } = state;
const script = await Bun.file(join(root, "ops/install/install.sh")).text();
await Bun.write(join(folder, "install.sh"), script.replace("@REPOSITORY@", repository));
const manifest = await Bun.file(join(root, "cli/package.json")).json();
await Bun.write(join(folder, "server.json"), `${JSON.stringify(serverJson(manifest), null, 2)}\n`);
const sums = await $`sha256sum $(ls)`.cwd(folder).text();
const checksums = new Map(sums.split("\n").map((line) => [line.slice(66), line.slice(0, 64)]));
await Bun.write(join(folder, "tokenctl.rb"), formula(version, repository, checksums));
await $`sha256sum $(ls) > SHA256SUMS`.cwd(folder).quiet();
console.log(`wrote ${folder}/SHA256SUMS`);
