/** A fact's cost and what passes. `scripts/fact-rules.ts` describes its rule and fields. */
export interface FactTerms {
  /** The words after the amount, and the maximum that passes unless the caller sets another. */
  readonly cost?: { readonly of: string; readonly atMost: number };
  readonly mayBeUnknown?: boolean;
}

/** The facts that `verifyToken` shows, in order. The schema of a fact is derived from them. */
export const TOKEN_FACTS = {
  token: {},
  mint_authority: { cost: { of: "wallets that may make more tokens", atMost: 0 } },
  freeze_authority: { cost: { of: "wallets that may freeze accounts", atMost: 0 } },
  extensions: { cost: { of: "extensions with power over accounts or transfers", atMost: 0 } },
  update_authority: {
    cost: { of: "wallets that may change name, symbol and document address", atMost: 0 },
  },
  token_authority: {},
  metadata: { mayBeUnknown: true },
  pool: {},
  quote: {},
  creator: {},
  config: {},
  curve: { cost: { of: "% of all tokens for the first tenth of the SOL", atMost: 50 } },
  curve_fees: { cost: { of: "% of a trade on the curve", atMost: 10 } },
  first_buy: { cost: { of: "% of fee that only the first buy is spared", atMost: 0 } },
  pool_fees: { cost: { of: "% of a trade in the pool", atMost: 12 } },
  creation_fee: { cost: { of: "SOL, once, for who launched it", atMost: 1 } },
  migration_fee: { cost: { of: "% of the SOL raised", atMost: 1 } },
  surplus: { cost: { of: "% of the SOL raised", atMost: 1 } },
  vesting: { cost: { of: "% of all tokens", atMost: 0 } },
  leftover: { cost: { of: "% of all tokens", atMost: 0.1 } },
  locked_liquidity: { cost: { of: "% of the liquidity that can be withdrawn", atMost: 0 } },
  delegates: { cost: { of: "wallets that may move a position of others", atMost: 0 } },
  supply: {},
} as const satisfies Readonly<Record<string, FactTerms>>;
