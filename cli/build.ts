/**
 * Builds the package into `dist/`, and copies the skill for models beside it: one program for Node and Bun with all that it needs, so that its
 * installation brings nothing else. Chunks keep what a command does not use from being loaded.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundledPackages, withoutWebSockets } from "../scripts/bundled-packages.ts";
import { copySkills } from "../scripts/copy-skills.ts";
import { licensesOf, withLicenses } from "../scripts/licenses.ts";
import { licenseText } from "../shared/src/license-text.ts";

const root = import.meta.dir;
const outdir = join(root, "dist");

/** @throws if the bundler finds an error, or a package without a licence */
export async function buildCli(): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await copySkills(root);
  const bundle: Bun.BuildConfig = {
    entrypoints: [join(root, "src/bin.ts")],
    target: "node",
    format: "esm",
    splitting: true,
    // A CommonJS package may ask for its own path, which would be that of this machine.
    define: { __filename: '"tokenctl"' },
    naming: { entry: "tokenctl.js", chunk: "chunks/[name]-[hash].js" },
  };
  const licenses = await licensesOf("tokenctl", root, await bundledPackages(bundle));
  await Bun.build({ ...bundle, outdir, plugins: [withLicenses(licenses), withoutWebSockets] });
  const program = Bun.file(join(outdir, "tokenctl.js"));
  const code = (await program.text()).replace(/^#!.*\n(?:\/\/ @bun.*\n)?/, "");
  await Bun.write(program, `#!/usr/bin/env node\n${code}`);
  await Bun.write(join(outdir, "LICENSES.txt"), `${licenseText(licenses)}\n`);
}

if (import.meta.main) {
  await buildCli();
  console.log("Built cli/dist");
}
