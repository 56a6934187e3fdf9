import { decodeBase58 } from "@tokenctl/shared/base58";

/** The browser's key for a wallet's payout address. A service that stored it could redirect it. */
const keyOf = (wallet: string) => `tokend.payout.${wallet}`;

/** Returns the wallet that receives this one's claims; null if the wallet keeps them. */
export function payoutAddress(wallet: string): string | null {
  const kept = localStorage.getItem(keyOf(wallet));
  return kept !== null && isAddress(kept) ? kept : null;
}

/** @throws {Error} with a sentence for people if the address is not another wallet's */
export async function setPayoutAddress(
  wallet: string,
  address: string | null,
  isToken: (address: string) => Promise<boolean>,
): Promise<void> {
  if (address === null) {
    localStorage.removeItem(keyOf(wallet));
    return;
  }
  if (!isAddress(address)) throw new Error("This is not the address of a wallet");
  if (address === wallet) throw new Error("This is your own wallet, which gets the fees anyway");
  if (await isToken(address)) throw new Error("This is a token's address, not a wallet's");
  localStorage.setItem(keyOf(wallet), address);
}

const isAddress = (text: string) => decodeBase58(text, 32) !== null;
