#!/usr/bin/env bun
// This macro runs when the file is bundled: the binary prints `--help` without loading the grammar, which
// takes as long as starting the process.
import { rootHelp } from "./root-help.ts" with { type: "macro" };
import { processWorld } from "./world.ts";

async function start(args: readonly string[]): Promise<number> {
  try {
    if (args.length === 1 && (args[0] === "--help" || args[0] === "-h")) {
      processWorld.out.write(rootHelp());
      return 0;
    }
    const { main } = await import("./main.ts");
    return await main(args, processWorld);
  } catch (error) {
    const { reportError } = await import("./report-error.ts");
    return reportError(error, args.includes("--json"), processWorld);
  }
}

// Explicit, because open connections would keep the process alive for seconds.
void start(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
