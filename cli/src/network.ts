import type { Network } from "@tokenctl/sdk";
import type { Desk } from "./desk.ts";
import { CliError, UsageError } from "./errors.ts";

/** Milliseconds to wait for the optional name of the chain. */
const NETWORK_TIMEOUT_MS = 5_000;

/** Returns the chain, from the node if there is one; undefined if neither names it. */
export async function readNetwork({
  client,
  signal,
}: Pick<Desk, "client" | "signal">): Promise<Network | undefined> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(NETWORK_TIMEOUT_MS)]);
  try {
    return await client.network({ signal: inTime });
  } catch {
    return undefined;
  }
}

/** @throws {UsageError} in a script without `--yes`, where no question is possible */
export function needsYes({ canAsk, model }: Desk, why: string, isAgreed = false): void {
  if (isAgreed || canAsk || model !== null) return;
  throw new UsageError(why, "Add --yes if no question can be asked");
}

/** Returns the URL of a token's public page. @throws {CliError} if the server's mint is invalid */
export function pageOf({ apiUrl }: Desk["client"], tokenMint: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(tokenMint)) return `${apiUrl}/t/${tokenMint}`;
  throw new CliError("invalid_response", "The token's mint from the server is not an address");
}
