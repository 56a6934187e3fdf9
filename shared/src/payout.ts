export const WRAPPED_SOL_MINT = "So11111111111111111111111111111111111111112";

interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner?: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/** The token balances before and after a transaction, as `getTransaction` returns them. */
export interface TokenBalances {
  readonly preTokenBalances?: readonly TokenBalance[] | null;
  readonly postTokenBalances?: readonly TokenBalance[] | null;
}

interface Payout {
  readonly accountIndex: number;
  readonly lamports: bigint;
}

/**
 * Returns what vaults paid in a confirmed claim: all that left wrapped-SOL accounts except the
 * agent's. The agent's own gain differs by the network fee and the rent of its accounts.
 */
export function payoutsOf(balances: TokenBalances, agent: string): Payout[] {
  const after = new Map<number, bigint>();
  for (const { accountIndex, mint, uiTokenAmount } of balances.postTokenBalances ?? []) {
    if (mint === WRAPPED_SOL_MINT) after.set(accountIndex, BigInt(uiTokenAmount.amount));
  }
  const payouts: Payout[] = [];
  for (const { accountIndex, mint, owner, uiTokenAmount } of balances.preTokenBalances ?? []) {
    if (mint !== WRAPPED_SOL_MINT || owner === agent) continue;
    const lamports = BigInt(uiTokenAmount.amount) - (after.get(accountIndex) ?? 0n);
    if (lamports > 0n) payouts.push({ accountIndex, lamports });
  }
  return payouts;
}

export function payoutOf(balances: TokenBalances, agent: string): bigint {
  return payoutsOf(balances, agent).reduce((sum, { lamports }) => sum + lamports, 0n);
}
