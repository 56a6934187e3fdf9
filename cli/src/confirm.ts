import type { Network } from "@tokenctl/sdk";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";

/** The chains whose SOL is worth nothing. */
const PLAY: readonly (Network | undefined)[] = ["sandbox", "localnet"];

/**
 * Asks once at a terminal before a command does what cannot be undone, unless the chain is the user's own.
 * Scripts are not asked.
 *
 * @param network undefined if the server does not say, which counts as real
 * @param isAgreed whether `--yes` was given
 * @throws {CliError} `declined` unless the answer is yes
 */
export async function confirm(
  { ask }: Pick<Context, "ask">,
  action: string,
  { network, isAgreed = false }: { network: Network | undefined; isAgreed?: boolean | undefined },
): Promise<void> {
  if (isAgreed || ask === null || PLAY.includes(network)) return;
  const answer = await ask(`${action} on ${network ?? "a chain that it does not name"}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new CliError("declined", "Nothing was done", { hint: "Answer y, or add --yes" });
}
