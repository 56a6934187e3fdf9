import { rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";

/**
 * Builds `dist/tokend` and `dist/tokenctl`, each a program of one file, and the SDK's package.
 * `--bytecode` is not for speed alone: bundled as ES modules, the Solana libraries fail at run time
 * (`exports_esm is not defined`). The programs read no `bunfig.toml` and no `.env` of the folder that
 * they are started in: the one could preload code beside a wallet's key, the other point them at
 * another server.
 */
const root = join(import.meta.dir, "..");
await rm(join(root, "dist"), { recursive: true, force: true });
for (const [name, entry] of [
  ["tokend", "server/src/main.ts"],
  ["tokenctl", "cli/src/bin.ts"],
]) {
  await $`bun build --compile --bytecode --no-compile-autoload-bunfig --no-compile-autoload-dotenv --outfile ${join(root, "dist", `${name}`)} ${join(root, `${entry}`)}`;
}
await $`bun run --cwd ${join(root, "sdk")} build`;
