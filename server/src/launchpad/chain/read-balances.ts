import { PublicKey } from "@solana/web3.js";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** See `Launchpad.readBalances`. */
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
