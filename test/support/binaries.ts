import { copyFileSync, linkSync } from "node:fs";
import { join } from "node:path";
import { BUILT, ROOT, run } from "./processes.ts";

let built: Promise<void> | undefined;

/**
 * Builds what `bun run build` builds, once for all tests of a process. `bun run test` has built it
 * already: its processes would overwrite each other's.
 */
function build(): Promise<void> {
  built ??= (async () => {
    if (BUILT) return;
    const { exitCode, stderr } = await run([process.execPath, "run", "build"], ROOT, {
      HOME: process.env.HOME ?? "",
    });
    if (exitCode !== 0) throw new Error(`bun run build failed:\n${stderr}`);
  })();
  return built;
}

export const BINARIES = ["tokend", "tokenctl", "launch-signer"] as const;

/** Puts the programs, and nothing else, into a folder. They are read-only there. */
export async function installBinaries(folder: string) {
  await build();
  const built = BUILT ?? join(ROOT, "dist");
  for (const name of BINARIES) place(join(built, name), join(folder, name));
  return { tokend: join(folder, "tokend"), tokenctl: join(folder, "tokenctl") };
}

/** Links a file: a copy of the programs writes 370 MB. Copies it if it is on another disk. */
function place(file: string, at: string): void {
  try {
    linkSync(file, at);
  } catch {
    copyFileSync(file, at);
  }
}
