import { join } from "node:path";
import { $ } from "bun";

const root = join(import.meta.dir, "..");

/** The source files of each program: its entry, then those of its threads. */
const entries = {
  tokend: ["server/src/main.ts", "server/src/base/checkpointer-thread.ts"],
  tokenctl: ["cli/src/bin.ts"],
};

export type Program = keyof typeof entries;

/**
 * Compiles a program into one file. `--splitting` leaves each `import()` in a chunk of its own, which
 * is read when it is called: a command pays only for what it uses. It needs ES modules, as which
 * Anchor fails at run time unless patched (`patches/`: it assigns to `exports`). The names of threads
 * have no folder, as chunks have none. The programs ignore `bunfig.toml` and `.env` in the folder
 * where they start: the first could load foreign code next to a wallet's key, the second could name
 * another server.
 *
 * @param source the sources and the packages installed for the target. Default: this repository, for
 * this machine
 * @param target a target of `bun build --compile`. Default: this machine
 */
export async function compile(
  program: Program,
  outfile: string,
  source = root,
  target?: string,
): Promise<void> {
  // The server has the console inside.
  if (program === "tokend") await $`bun ${join(source, "console", "build.ts")}`.quiet();
  await compileFiles(
    entries[program].map((entry) => join(source, entry)),
    outfile,
    target,
  );
}

/** Compiles any source files, as {@link compile} does. */
export async function compileFiles(
  files: readonly string[],
  outfile: string,
  target?: string,
): Promise<void> {
  const platform = target === undefined ? [] : [`--target=${target}`];
  const modules = ["--bytecode", "--format=esm", "--splitting", "--entry-naming=[name].[ext]"];
  const isolation = ["--no-compile-autoload-bunfig", "--no-compile-autoload-dotenv"];
  await $`bun build --compile ${modules} ${isolation} ${platform} --outfile ${outfile} ${files}`.quiet();
}
