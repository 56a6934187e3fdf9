import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./processes.ts";

const MAINS = { tokenctl: "cli/src/bin.ts", tokend: "server/src/main.ts" };

/** Puts both programs into a folder, as they are in the sources: that saves a build. */
export function installSources(folder: string): void {
  for (const [name, main] of Object.entries(MAINS)) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, main)} "$@"\n`);
    chmodSync(file, 0o755);
  }
}
