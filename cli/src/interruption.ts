import { CliError } from "./errors.ts";
import { exitCodes } from "./exit.ts";

/**
 * Waits for a request that changes something, and where Ctrl-C cuts it off says how to find out
 * whether it did.
 *
 * @throws {CliError} with that hint; and what the request throws otherwise
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
