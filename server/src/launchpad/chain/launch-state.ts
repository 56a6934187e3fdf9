import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { type AccountInfo, PublicKey } from "@solana/web3.js";
import { ChainUnavailableError } from "../errors.ts";
import type { TokenRef } from "../launchpad.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** What the chain holds of a launch, and what the wallet has, at one slot. */
export interface LaunchState {
  readonly slot: number;
  /** The first of the tokens asked for that exists; null when none does. */
  readonly deployed: TokenRef | null;
  readonly walletLamports: bigint;
}

/**
 * Looks for a launch's token. Its mint tells: the address is the public half of a key that only
 * this service has, and mint and pool are made in one transaction.
 *
 * @param tokens where the launch's attempts would have put it
 * @param minContextSlot an answer from an older state than this is refused
 */
export async function readLaunchState(
  chain: ChainContext,
  tokens: readonly TokenRef[],
  minContextSlot?: number,
): Promise<LaunchState> {
  const keys = [chain.wallet.publicKey, ...tokens.map(({ tokenMint }) => new PublicKey(tokenMint))];
  const { context, value } = await withRpcErrors(() =>
    chain.connection.getMultipleAccountsInfoAndContext(keys, {
      commitment: "confirmed",
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    }),
  );
  if (context.slot < (minContextSlot ?? 0) || value.length !== keys.length) {
    throw new ChainUnavailableError("The Solana RPC node is behind its cluster");
  }
  const [wallet, ...mints] = value;
  return {
    slot: context.slot,
    deployed: tokens.find((_, index) => isMint(mints[index] ?? null)) ?? null,
    walletLamports: BigInt(wallet?.lamports ?? 0),
  };
}

/** Anyone can send lamports to an address that they guess or saw; only we can make it a mint. */
function isMint(account: AccountInfo<Buffer> | null): boolean {
  if (!account) return false;
  return account.owner.equals(TOKEN_PROGRAM_ID) || account.owner.equals(TOKEN_2022_PROGRAM_ID);
}
