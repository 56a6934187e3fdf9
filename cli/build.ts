/**
 * Builds the package into `dist/`, and copies the skill for models beside it: one program for Node and Bun with all that it needs, so that its
 * installation brings nothing else. Chunks keep what a command does not use from being loaded.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundledPackages } from "../scripts/bundled-packages.ts";
import { copySkills } from "../scripts/copy-skills.ts";

const root = import.meta.dir;
const outdir = join(root, "dist");

/** @throws if the bundler finds an error, or a package without a licence */
export async function buildCli(): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await copySkills(root);
  const { metafile } = await Bun.build({
    entrypoints: [join(root, "src/bin.ts")],
    outdir,
    target: "node",
    format: "esm",
    splitting: true,
    metafile: true,
    // A CommonJS package may ask for its own path, which would be that of this machine.
    define: { __filename: '"tokenctl"' },
    naming: { entry: "tokenctl.js", chunk: "chunks/[name]-[hash].js" },
  });
  const program = Bun.file(join(outdir, "tokenctl.js"));
  const code = (await program.text()).replace(/^#!.*\n(?:\/\/ @bun.*\n)?/, "");
  await Bun.write(program, `#!/usr/bin/env node\n${code}`);
  await Bun.write(
    join(outdir, "LICENSES.txt"),
    await licencesOf(Object.keys(metafile?.inputs ?? {})),
  );
}

/** @returns the licences of the packages that these files are of, which copies must carry */
async function licencesOf(files: readonly string[]): Promise<string> {
  const texts = (await bundledPackages(files)).map(async ({ name, version, folder }) => {
    const [file] = await Array.fromAsync(new Bun.Glob("{LICENSE,LICENCE,license}*").scan(folder));
    if (file === undefined) throw new Error(`${name} has no licence file in ${folder}`);
    return `${name} ${version}\n\n${await Bun.file(join(folder, file)).text()}`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

if (import.meta.main) {
  await buildCli();
  console.log("Built cli/dist");
}
