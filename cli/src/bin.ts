#!/usr/bin/env bun
// Run when this file is bundled, so that the binary answers `--help` without loading the grammar:
// that alone takes as long as starting the process does.
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

// Not awaited at the top level: bytecode is compiled as CommonJS, which has no such thing. The
// exit is explicit because connections kept alive would hold the process for seconds.
start(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
