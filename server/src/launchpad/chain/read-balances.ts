import { PublicKey } from "@solana/web3.js";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/**
 * Reads what wallets hold, in one request.
 *
 * @param wallets at most 100 addresses
 * @returns lamports of each, 0 for one that has no account
 * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
 */
export async function readBalances(
  { connection }: Pick<ChainContext, "connection">,
  wallets: readonly string[],
): Promise<bigint[]> {
  const keys = wallets.map((wallet) => new PublicKey(wallet));
  const accounts = await withRpcErrors(() =>
    connection.getMultipleAccountsInfo(keys, {
      commitment: "confirmed",
      dataSlice: { offset: 0, length: 0 },
    }),
  );
  return wallets.map((_, index) => BigInt(accounts[index]?.lamports ?? 0));
}
