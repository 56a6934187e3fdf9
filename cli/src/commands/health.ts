import { connectWithoutWallet } from "../connect.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { exitCodes } from "../exit.ts";
import type { Result } from "../result.ts";

/** Asks the server whether it works. Needs no wallet. */
export async function health(context: Context): Promise<Result> {
  const client = connectWithoutWallet(context);
  const data = await client.health({ signal: context.signal });
  if (data.ok) return { kind: "health", data };
  const failure = new CliError("unhealthy", data.message ?? "The server is unhealthy", {
    hint: "Tell the server's operator, or look at its log",
    exitCode: exitCodes.unavailable,
  });
  return { kind: "health", data, failure };
}
