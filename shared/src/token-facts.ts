/** What a fact of a token can cost, and what passes. Its rule and fields: `scripts/fact-rules.ts`. */
export interface FactTerms {
  /** What follows the amount, and the most that passes unless a caller sets another limit. */
  readonly cost?: { readonly of: string; readonly atMost: number };
  /** True if a token passes without it being known. */
  readonly mayBeUnknown?: boolean;
}

/** Each fact that `verifyToken` shows, in the order in which they are shown. The schema of a fact follows from this. */
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
