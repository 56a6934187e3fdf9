#!/usr/bin/env bun
// This macro runs at bundling time, so the binary prints `--help` without loading the grammar.
// Loading the grammar takes as long as starting the process.
import { rootHelp } from "./grammar/program.ts" with { type: "macro" };
import { goDirectlyToLoopback } from "./proxy.ts";
import { version } from "./version.ts";
import { processWorld } from "./world.ts";

async function start(args: readonly string[]): Promise<number> {
  goDirectlyToLoopback(process.env);
  try {
    const only = args.length === 1 ? args[0] : undefined;
    if (only === "--help" || only === "-h") processWorld.out.write(rootHelp());
    else if (only === "--version" || only === "-V") processWorld.out.write(`${version}\n`);
    else return await (await import("./main.ts")).main(args, processWorld);
    return 0;
  } catch (error) {
    const { reportError } = await import("./explain-error.ts");
    return reportError(error, args.includes("--json"), processWorld);
  }
}

// Exit explicitly: open connections would keep the process alive for seconds.
void start(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
