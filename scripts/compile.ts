import { join } from "node:path";
import { $ } from "bun";

const root = join(import.meta.dir, "..");

/** What the programs consist of: the first file is where they begin, others are their threads. */
const entries = {
  tokend: ["server/src/main.ts", "server/src/base/checkpointer-thread.ts"],
  tokenctl: ["cli/src/bin.ts"],
};

/**
 * Compiles a program into one file. `--bytecode` is not for speed alone: bundled as ES modules, the
 * Solana libraries fail at run time (`exports_esm is not defined`). The programs read no
 * `bunfig.toml` and no `.env` of the folder that they are started in: the one could preload code
 * beside a wallet's key, the other point them at another server.
 */
export async function compile(program: keyof typeof entries, outfile: string): Promise<void> {
  await compileFiles(
    entries[program].map((entry) => join(root, entry)),
    outfile,
  );
}

/** The same with files of anyone's. */
export async function compileFiles(files: readonly string[], outfile: string): Promise<void> {
  await $`bun build --compile --bytecode --no-compile-autoload-bunfig --no-compile-autoload-dotenv --outfile ${outfile} ${files}`.quiet();
}
