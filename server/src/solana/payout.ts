import { NATIVE_MINT } from "@solana/spl-token";
import type { TokenBalance } from "@solana/web3.js";

/** The token balances before and after a transaction, as `getTransaction` returns them. */
export interface TokenBalances {
  readonly preTokenBalances?: TokenBalance[] | null;
  readonly postTokenBalances?: TokenBalance[] | null;
}

/** What one account paid. */
export interface Payout {
  /** The account's place among the transaction's keys. */
  readonly accountIndex: number;
  readonly lamports: bigint;
}

/**
 * What vaults paid in a confirmed claim: everything that left wrapped-SOL accounts which are not the
 * agent's. The agent's own gain differs by the network fee and the rent of its accounts.
 *
 * @param agent base58; without one, all accounts count
 */
export function payoutsOf(balances: TokenBalances, agent?: string): Payout[] {
  const after = amounts(balances.postTokenBalances);
  const payouts: Payout[] = [];
  for (const { accountIndex, mint, owner, uiTokenAmount } of balances.preTokenBalances ?? []) {
    if (mint !== NATIVE_MINT.toBase58() || (agent !== undefined && owner === agent)) continue;
    const lamports = BigInt(uiTokenAmount.amount) - (after.get(accountIndex) ?? 0n);
    if (lamports > 0n) payouts.push({ accountIndex, lamports });
  }
  return payouts;
}

/** @returns lamports of all that vaults paid; see {@link payoutsOf} */
export function payoutOf(balances: TokenBalances, agent: string): bigint {
  return payoutsOf(balances, agent).reduce((sum, { lamports }) => sum + lamports, 0n);
}

/** Wrapped SOL in lamports, by the account's place in the transaction. */
function amounts(balances: TokenBalances["preTokenBalances"]): Map<number, bigint> {
  const found = new Map<number, bigint>();
  for (const { accountIndex, mint, uiTokenAmount } of balances ?? []) {
    if (mint === NATIVE_MINT.toBase58()) found.set(accountIndex, BigInt(uiTokenAmount.amount));
  }
  return found;
}
