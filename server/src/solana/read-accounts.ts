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
  const calls: Promise<(AccountInfo<Buffer> | null)[]>[] = [];
  for (let from = 0; from < addresses.length; from += MAX_KEYS_PER_CALL) {
    const keys = addresses.slice(from, from + MAX_KEYS_PER_CALL);
    calls.push(connection.getMultipleAccountsInfo(keys, "confirmed"));
  }
  const accounts = (await Promise.all(calls)).flat();
  if (accounts.length !== addresses.length) {
    throw new RpcFailure(
      "garbage",
      "getMultipleAccounts",
      "not as many accounts as were asked for",
    );
  }
  return accounts;
}
