import { NotFoundError } from "@tokenctl/sdk";
import { CliError } from "./errors.ts";
import { exitCodes } from "./exit.ts";

/**
 * Waits for a request of an endpoint that older servers lack.
 *
 * @param what the server then lacks, for example `list of launches`
 * @param signIn fails if the address leads to no tokend at all: every version lets agents sign in
 * @throws {CliError} `server_too_old` if it does; otherwise what the request or the sign-in throws
 */
export async function orTooOld<T>(
  request: Promise<T>,
  what: string,
  signIn: () => Promise<unknown>,
): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    // Without the list of launches its path is that of a token.
    const isMissing =
      cause instanceof NotFoundError && ["not_found", "token_not_found"].includes(cause.code);
    if (!isMissing || cause.isFromGateway) throw cause;
    await signIn();
    throw new CliError("server_too_old", `The server has no ${what}`, {
      hint: "It runs an older tokend than this tokenctl: its operator can upgrade it",
      exitCode: exitCodes.notFound,
      cause,
    });
  }
}
