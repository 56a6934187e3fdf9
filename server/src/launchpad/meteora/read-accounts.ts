import type { AccountInfo, Connection, PublicKey } from "@solana/web3.js";

/** Most addresses that `getMultipleAccounts` takes. */
const MAX_KEYS_PER_CALL = 100;

/**
 * Accounts as of the latest confirmed slot, in the order asked, null where there is none. One call
 * for each 100 addresses, all at once.
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
  return (await Promise.all(calls)).flat();
}
