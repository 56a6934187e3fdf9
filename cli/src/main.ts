import { CommanderError } from "commander";
import type { ExitCode } from "./exit.ts";
import { exitCodes } from "./exit.ts";
import { createProgram } from "./program.ts";
import type { World } from "./world.ts";

/**
 * Runs one command line.
 *
 * @param args the arguments after the program's name
 * @returns the exit code; errors are printed on stderr
 */
export async function main(args: readonly string[], world: World): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(world, async (options, action) => {
    const { runCommand } = await import("./run-command.ts");
    exitCode = await runCommand(options, action, world);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has printed the help or the version. Without a command that is a usage error.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const { reportError } = await import("./report-error.ts");
    return reportError(error, args.includes("--json"), world);
  }
}
