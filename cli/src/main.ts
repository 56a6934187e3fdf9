import { CommanderError } from "commander";
import { type ExitCode, exitCodes } from "./errors.ts";
import { createProgram } from "./grammar/program.ts";
import type { World } from "./world.ts";

export async function main(args: readonly string[], world: World): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(world, async (command, given, globals) => {
    const { runCommand } = await import("./run-command.ts");
    exitCode = await runCommand(command, given, globals, world);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has printed the help or the version. A missing command is a usage error.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const { reportError } = await import("./explain-error.ts");
    return reportError(error, args.includes("--json"), world);
  }
}
