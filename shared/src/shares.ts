import { decodeBase58 } from "./base58.ts";
import { limits } from "./limits.ts";
import { lamportsToSol } from "./sol.ts";

/**
 * Splits an amount by whole percentages that add up to 100. Rounds each share down, and adds the
 * remainder to the first.
 * @example
 * splitByShares(101n, [70, 30]); // [71n, 30n]
 */
export function splitByShares(amount: bigint, shares: readonly number[]): bigint[] {
  const parts = shares.map((share) => (amount * BigInt(share)) / 100n);
  const rest = amount - parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => (index === 0 ? part + rest : part));
}

export function paidOnWire({
  address,
  lamports,
}: {
  readonly address: string;
  readonly lamports: bigint | string;
}) {
  const paid = BigInt(lamports);
  return { address, paidSOL: lamportsToSol(paid), paidLamports: paid.toString() };
}

/** Returns what is wrong with the receivers of a claim's fees; null if they are valid. */
export function receiversFlaw(
  receivers: readonly { readonly address: unknown; readonly share: unknown }[],
): string | null {
  const { max } = limits.claimReceivers;
  if (receivers.length === 0 || receivers.length > max) return `a claim pays 1 to ${max} wallets`;
  const addresses = receivers.map(({ address }) => address);
  for (const [index, address] of addresses.entries()) {
    if (typeof address !== "string" || decodeBase58(address, 32) === null) {
      return `'${address}' is not the address of a wallet`;
    }
    if (addresses.indexOf(address) !== index) return `${address} is named twice`;
  }
  const shares = receivers.map(({ share }) => (Number.isInteger(share) ? Number(share) : 0));
  const isWhole = shares.every((share) => share >= 1);
  if (isWhole && shares.reduce((sum, share) => sum + share, 0) === 100) return null;
  return "the shares must be whole percentages that add up to 100";
}
