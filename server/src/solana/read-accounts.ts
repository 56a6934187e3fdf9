import type { AccountInfo, Connection, PublicKey } from "@solana/web3.js";
import { RpcFailure } from "./connection.ts";

/** Most addresses that `getMultipleAccounts` takes. Source: Solana's documentation, RPC. */
const MAX_KEYS_PER_CALL = 100;

/**
 * Reads accounts at the latest confirmed slot, in the order of the addresses; null for one that does
 * not exist. One call for each 100 addresses, all at once.
 *
 * @throws {RpcFailure} the node left some out, so it is not known which of them exist
 */
export async function readAccounts(
  connection: Connection,
  addresses: readonly PublicKey[],
): Promise<(AccountInfo<Buffer> | null)[]> {
  return (await readAccountsAt(connection, addresses)).accounts;
}

/** The same, with the newest slot of the answers; 0 for no addresses. */
export async function readAccountsAt(
  connection: Connection,
  addresses: readonly PublicKey[],
): Promise<{ readonly slot: number; readonly accounts: (AccountInfo<Buffer> | null)[] }> {
  const calls = [];
  for (let from = 0; from < addresses.length; from += MAX_KEYS_PER_CALL) {
    const keys = addresses.slice(from, from + MAX_KEYS_PER_CALL);
    calls.push(connection.getMultipleAccountsInfoAndContext(keys, "confirmed"));
  }
  const answers = await Promise.all(calls);
  const accounts = answers.flatMap(({ value }) => value);
  if (accounts.length !== addresses.length) {
    throw new RpcFailure(
      "garbage",
      "getMultipleAccounts",
      "not as many accounts as were asked for",
    );
  }
  return { slot: Math.max(0, ...answers.map(({ context }) => context.slot)), accounts };
}
