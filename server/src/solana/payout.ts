import { NATIVE_MINT } from "@solana/spl-token";
import type { TokenBalance } from "@solana/web3.js";

/** The token balances before and after a transaction, as `getTransaction` returns them. */
export interface TokenBalances {
  readonly preTokenBalances?: TokenBalance[] | null;
  readonly postTokenBalances?: TokenBalance[] | null;
}

/**
 * What vaults paid in a confirmed claim: everything that left wrapped-SOL accounts which are not the
 * agent's. The agent's own gain differs by the network fee and the rent of its accounts.
 *
 * @param agent base58
 * @returns lamports
 */
export function payoutOf(balances: TokenBalances, agent: string): bigint {
  const after = new Map<number, bigint>();
  for (const { accountIndex, mint, uiTokenAmount } of balances.postTokenBalances ?? []) {
    if (mint === NATIVE_MINT.toBase58()) after.set(accountIndex, BigInt(uiTokenAmount.amount));
  }
  let paid = 0n;
  for (const { accountIndex, mint, owner, uiTokenAmount } of balances.preTokenBalances ?? []) {
    if (mint !== NATIVE_MINT.toBase58() || owner === agent) continue;
    const decrease = BigInt(uiTokenAmount.amount) - (after.get(accountIndex) ?? 0n);
    if (decrease > 0n) paid += decrease;
  }
  return paid;
}
