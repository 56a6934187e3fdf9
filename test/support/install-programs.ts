import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOKENCTL } from "../../cli/src/testing/cli.ts";
import { TOKEND } from "./test-programs.ts";

/** Puts both programs into a folder; unless they are compiled, they run from the sources, which saves a build. */
export function installPrograms(folder: string): void {
  for (const [name, command] of Object.entries({ tokenctl: TOKENCTL, tokend: TOKEND })) {
    const script = `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
}
