import { rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { compile, PROGRAMS } from "./compile.ts";

/** Builds the programs into `dist/`, each a single executable, and the two packages. */
const root = join(import.meta.dir, "..");
await rm(join(root, "dist"), { recursive: true, force: true });
await Promise.all([
  ...PROGRAMS.map((program) => compile(program, join(root, "dist", program))),
  $`bun run --cwd ${join(root, "sdk")} build`,
  $`bun run --cwd ${join(root, "cli")} build`,
]);
