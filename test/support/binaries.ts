import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "./processes.ts";

let built: Promise<void> | undefined;

/**
 * Builds what `bun run build` builds, once for all tests of a process. `bun run test` has built it
 * already: its processes would overwrite each other's.
 */
function build(): Promise<void> {
  built ??= (async () => {
    if (process.env.BINARIES === "built") return;
    const { exitCode, stderr } = await run([process.execPath, "run", "build"], ROOT, {
      HOME: process.env.HOME ?? "",
    });
    if (exitCode !== 0) throw new Error(`bun run build failed:\n${stderr}`);
  })();
  return built;
}

/** Copies the two programs, and nothing else, into a folder. */
export async function installBinaries(folder: string) {
  await build();
  const tokend = join(folder, "tokend");
  const tokenctl = join(folder, "tokenctl");
  copyFileSync(join(ROOT, "dist", "tokend"), tokend);
  copyFileSync(join(ROOT, "dist", "tokenctl"), tokenctl);
  return { tokend, tokenctl };
}
