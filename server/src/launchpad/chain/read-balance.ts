import { PublicKey } from "@solana/web3.js";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** See `Launchpad.readBalance`. */
export async function readBalance({ connection }: ChainContext, wallet: string): Promise<bigint> {
  const address = new PublicKey(wallet);
  return BigInt(await withRpcErrors(() => connection.getBalance(address, "confirmed")));
}
