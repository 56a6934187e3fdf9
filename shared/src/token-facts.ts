/** What is verified of a token. */
export interface FactRule {
  /** The fields that it reads, by the kind of the account; one that holds others stands for all of them. */
  readonly reads?: Readonly<Record<string, string>>;
  readonly rule: string;
  /** What it can cost: what follows the amount, and the most that passes unless a caller sets another limit. */
  readonly cost?: { readonly of: string; readonly atMost: number };
  /** True if a token passes without it being known. */
  readonly mayBeUnknown?: boolean;
}

/**
 * Each fact that `verifyToken` shows, in the order in which they are shown. The schema of a fact, its limits, the
 * table in `docs/agents.md` and the test that every field of the accounts is read follow from this.
 */
export const TOKEN_FACTS = {
  token: {
    reads: { PoolConfig: "tokenType tokenDecimal", VirtualPool: "baseMint poolType" },
    rule: "The mint exists, and has the program and decimals that its config says",
  },
  mint_authority: {
    rule: "No wallet can make more tokens",
    cost: { of: "wallets that may make more tokens", atMost: 0 },
  },
  freeze_authority: {
    rule: "No wallet can freeze accounts",
    cost: { of: "wallets that may freeze accounts", atMost: 0 },
  },
  extensions: {
    rule: "Token-2022: no extension has power over accounts or transfers",
    cost: { of: "extensions with power over accounts or transfers", atMost: 0 },
  },
  update_authority: {
    rule: "Name, symbol and document address can never change",
    cost: { of: "wallets that may change name, symbol and document address", atMost: 0 },
  },
  token_authority: {
    reads: { PoolConfig: "tokenUpdateAuthority" },
    rule: "Whom the config lets change or make tokens; what is left of that is above",
  },
  metadata: {
    rule: "The document at the token's address has the name and symbol that are on chain",
    mayBeUnknown: true,
  },
  pool: {
    reads: {
      VirtualPool: "config baseVault quoteVault isMigrated migrationProgress",
      Pool: "tokenAMint tokenBMint tokenAVault tokenBVault whitelistedVault activationPoint activationType poolStatus tokenAFlag tokenBFlag poolType feeVersion layoutVersion sqrtMinPrice sqrtMaxPrice creator",
    },
    rule: "The curve and the pool after it are the token's own, whole, and open to all",
  },
  quote: {
    reads: { PoolConfig: "quoteMint quoteTokenFlag" },
    rule: "It trades against SOL; the worth of another token is unknown",
  },
  creator: {
    reads: { VirtualPool: "creator" },
    rule: "Who has the creator's role, and holds a position after migration if the config gives one",
  },
  config: {
    reads: { PoolConfig: "version" },
    rule: "The config's version is known, and no byte of its accounts has a meaning that is not",
  },
  curve: {
    reads: {
      PoolConfig:
        "swapBaseAmount migrationQuoteThreshold migrationBaseThreshold migrationSqrtPrice sqrtStartPrice curve",
    },
    rule: "What the curve sells and raises adds up. It costs what the first buyers get ahead of others",
    cost: { of: "% of all tokens for the first tenth of the SOL", atMost: 50 },
  },
  curve_fees: {
    reads: {
      PoolConfig: "poolFees collectFeeMode activationType creatorTradingFeePercentage",
      VirtualPool: "activationPoint",
    },
    rule: "The highest fee on the curve from now on: base fee, where its schedule or its limit by size is, and what volatility adds",
    cost: { of: "% of a trade on the curve", atMost: 10 },
  },
  first_buy: {
    reads: { PoolConfig: "enableFirstSwapWithMinFee" },
    rule: "Whether the launch's own first buy pays less than others",
    cost: { of: "% of fee that only the first buy is spared", atMost: 0 },
  },
  pool_fees: {
    reads: {
      PoolConfig:
        "migrationFeeOption migratedCollectFeeMode migratedDynamicFee migratedPoolFeeBps migratedPoolBaseFeeMode migratedPoolBaseFeeBytes migratedCompoundingFeeBps",
      Pool: "poolFees collectFeeMode",
    },
    rule: "The highest fee in the pool after the curve",
    cost: { of: "% of a trade in the pool", atMost: 12 },
  },
  creation_fee: {
    reads: { PoolConfig: "poolCreationFee" },
    rule: "What the launch itself paid beside rent",
    cost: { of: "SOL, once, for who launched it", atMost: 1 },
  },
  migration_fee: {
    reads: {
      PoolConfig: "migrationFeePercentage creatorMigrationFeePercentage",
      VirtualPool: "protocolLiquidityMigrationFeeBps",
    },
    rule: "How much of the SOL raised is not put into the pool, but paid to creator, partner and protocol",
    cost: { of: "% of the SOL raised", atMost: 1 },
  },
  surplus: {
    reads: { VirtualPool: "quoteReserve" },
    rule: "SOL beyond what the migration needs, which is paid to creator, partner and protocol",
    cost: { of: "% of the SOL raised", atMost: 1 },
  },
  vesting: {
    reads: { PoolConfig: "lockedVestingConfig" },
    rule: "How many tokens the creator gets without buying them",
    cost: { of: "% of all tokens", atMost: 0 },
  },
  leftover: {
    reads: {
      PoolConfig:
        "leftoverReceiver fixedTokenSupplyFlag preMigrationTokenSupply postMigrationTokenSupply",
    },
    rule: "How many tokens are neither sold, nor in the pool, nor burned, and go to the leftover receiver",
    cost: { of: "% of all tokens", atMost: 0.1 },
  },
  locked_liquidity: {
    reads: {
      PoolConfig:
        "feeClaimer migrationOption partnerLiquidityVestingInfo creatorLiquidityVestingInfo partnerPermanentLockedLiquidityPercentage partnerLiquidityPercentage creatorPermanentLockedLiquidityPercentage creatorLiquidityPercentage",
      Pool: "liquidity permanentLockLiquidity",
      Position: "pool unlockedLiquidity vestedLiquidity permanentLockedLiquidity innerVesting",
    },
    rule: "All liquidity of the migration is locked permanently, so that none of it can be withdrawn",
    cost: { of: "% of the liquidity that can be withdrawn", atMost: 0 },
  },
  delegates: {
    reads: { Position: "nftMint delegatePermission" },
    rule: "No other wallet may move a locked position",
    cost: { of: "wallets that may move a position of others", atMost: 0 },
  },
  supply: { rule: "How many tokens there are, and how many of them the programs hold" },
} as const satisfies Readonly<Record<string, FactRule>>;
