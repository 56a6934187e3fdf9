import { CommanderError } from "commander";
import { type ExitCode, exitCodes } from "./errors.ts";
import { walk } from "./grammar/complete.ts";
import { createProgram } from "./grammar/program.ts";
import type { World } from "./world.ts";

export async function main(args: readonly string[], world: World): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(world, async (command, given, globals) => {
    const { runCommand } = await import("./run-command.ts");
    exitCode = await runCommand(command, given, globals, world);
  });
  try {
    // For `nonsense --help` and `help config nonsense`, Commander would print help and succeed.
    const { unknown } = walk(program, args);
    const meant = unknown === null ? args : args.filter((arg) => !HELP.includes(arg));
    await program.parseAsync(meant, { from: "user" });
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

const HELP: readonly string[] = ["-h", "--help", "-V", "--version", "help"];
