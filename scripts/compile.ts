import { join } from "node:path";
import { buildConsole, consoleBundle } from "../console/build.ts";
import { bundledPackages, withoutWebSockets } from "./bundled-packages.ts";
import { licenseOfBun, licensesOf, withLicenses } from "./licenses.ts";

const root = join(import.meta.dir, "..");

/** Each program's folder and source files: its entry, then those of its threads. */
const programs = {
  tokend: { folder: "server", entries: ["src/main.ts", "src/store/sqlite/checkpointer-thread.ts"] },
  tokenctl: { folder: "cli", entries: ["src/bin.ts"] },
  "launch-signer": { folder: "signers", entries: ["src/launch-signer.ts"] },
};

export type Program = keyof typeof programs;

export const PROGRAMS = Object.keys(programs) as readonly Program[];

/**
 * Compiles a program into one file, with the licences of what is in it.
 *
 * @param source the sources and the packages installed for the target. Default: this repository, for
 * this machine
 * @param target a target of `bun build --compile`. Default: this machine
 */
export async function compile(
  program: Program,
  outfile: string,
  source = root,
  target?: Bun.Build.CompileTarget,
): Promise<void> {
  const folder = join(source, programs[program].folder);
  const bundle = bundleOf(programs[program].entries.map((entry) => join(folder, entry)));
  const parts = [bundle];
  // The server has the console inside.
  if (program === "tokend") {
    await buildConsole(source);
    parts.push(consoleBundle(source));
  }
  const own = await licensesOf(program, folder, await bundledPackages(...parts));
  const plugins = [withLicenses([...own, await licenseOfBun()])];
  await compileBundle({ ...bundle, plugins }, outfile, target);
}

/** Compiles any source files, as {@link compile} does. */
export async function compileFiles(files: readonly string[], outfile: string): Promise<void> {
  await compileBundle(bundleOf(files), outfile);
}

/** Splitting needs ES modules, as which Anchor fails at run time unless patched (`patches/`: it assigns to `exports`). */
function bundleOf(files: readonly string[]): Bun.BuildConfig {
  return { entrypoints: [...files], target: "bun", format: "esm", splitting: true };
}

/**
 * `splitting` leaves each `import()` in a chunk of its own, which is read when it is called: a command
 * pays only for what it uses. The names of threads have no folder, as chunks have none. The programs
 * ignore `bunfig.toml` and `.env` in the folder where they start: the first could load foreign code next
 * to a wallet's key, the second could name another server.
 */
async function compileBundle(
  bundle: Bun.BuildConfig,
  outfile: string,
  target?: Bun.Build.CompileTarget,
): Promise<void> {
  await Bun.build({
    ...bundle,
    bytecode: true,
    naming: { entry: "[name].[ext]" },
    plugins: [...(bundle.plugins ?? []), withoutWebSockets],
    compile: {
      outfile,
      ...(target && { target }),
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
  });
}
