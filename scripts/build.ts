import { rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { compile } from "./compile.ts";

/** Builds `dist/tokend` and `dist/tokenctl`, each a single executable, and the two packages. */
const root = join(import.meta.dir, "..");
await rm(join(root, "dist"), { recursive: true, force: true });
await Promise.all([
  compile("tokend", join(root, "dist", "tokend")),
  compile("tokenctl", join(root, "dist", "tokenctl")),
  $`bun run --cwd ${join(root, "sdk")} build`,
  $`bun run --cwd ${join(root, "cli")} build`,
]);
