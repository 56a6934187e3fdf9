import { CliError } from "./errors.ts";
import { exitCodes } from "./exit.ts";

/**
 * Waits for a request that changes something.
 *
 * @param hint how to find out whether it did, if Ctrl-C interrupts it
 * @throws {CliError} `aborted` with that hint; otherwise what the request throws
 */
export async function orInterrupted<T>(request: Promise<T>, hint: string): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (!(cause instanceof Error && cause.name === "AbortError")) throw cause;
    throw new CliError("aborted", "Interrupted before the server answered", {
      hint,
      exitCode: exitCodes.interrupted,
      cause,
    });
  }
}
