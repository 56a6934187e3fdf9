/**
 * Builds the package into `dist/`: one program for Node and Bun with all that it needs, so that its
 * installation brings nothing else. Chunks keep what a command does not use from being loaded.
 */
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = import.meta.dir;
const outdir = join(root, "dist");

/** @throws if the bundler finds an error, or a package without a licence */
export async function buildCli(): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
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
  const packages = new Set<string>();
  for (const file of files) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [];
    if (folder) packages.add(folder);
  }
  const texts = await Promise.all([...packages].sort().map((folder) => licenceIn(folder)));
  return `${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

async function licenceIn(folder: string): Promise<string> {
  const path = join(process.cwd(), folder);
  const { name, version } = await Bun.file(join(path, "package.json")).json();
  for await (const file of new Bun.Glob("{LICENSE,LICENCE,license}*").scan(path)) {
    return `${name} ${version}\n\n${await Bun.file(join(path, file)).text()}`;
  }
  throw new Error(`${name} has no licence file in ${dirname(path)}`);
}

if (import.meta.main) {
  await buildCli();
  console.log("Built cli/dist");
}
