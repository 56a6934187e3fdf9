import type { TOKEN_FACTS } from "@tokenctl/shared/token-facts";

/** What the documents say of a fact, and which fields it reads. */
export interface FactRule {
  /** By the kind of the account; a field that holds others stands for all of them. */
  readonly reads?: Readonly<Record<string, string>>;
  readonly rule: string;
}

/** The table in `docs/agents.md`, and the test that every field of the accounts is read, follow from this. */
export const FACT_RULES: Readonly<Record<keyof typeof TOKEN_FACTS, FactRule>> = {
  token: {
    reads: { PoolConfig: "tokenType tokenDecimal", VirtualPool: "baseMint poolType" },
    rule: "The mint exists, and has the program and decimals that its config says",
  },
  mint_authority: {
    rule: "No wallet can make more tokens",
  },
  freeze_authority: {
    rule: "No wallet can freeze accounts",
  },
  extensions: {
    rule: "Token-2022: no extension has power over accounts or transfers",
  },
  update_authority: {
    rule: "Name, symbol and document address can never change",
  },
  token_authority: {
    reads: { PoolConfig: "tokenUpdateAuthority" },
    rule: "Which wallets the config lets change the token; the facts above show what is left of that. It lets none make tokens",
  },
  metadata: {
    rule: "The document at the token's address has the name and symbol that are on chain",
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
    rule: "Who has the creator's role, and after migration holds at least half of the locked liquidity that the config gives it",
  },
  config: {
    reads: { PoolConfig: "version" },
    rule: "The config's version is known, and so is the meaning of every byte of its accounts",
  },
  curve: {
    reads: {
      PoolConfig:
        "swapBaseAmount migrationQuoteThreshold migrationBaseThreshold migrationSqrtPrice sqrtStartPrice curve",
    },
    rule: "The amounts that the curve sells and raises add up. The cost is what the first buyers get ahead of others",
  },
  curve_fees: {
    reads: {
      PoolConfig: "poolFees collectFeeMode activationType creatorTradingFeePercentage",
      VirtualPool: "activationPoint",
    },
    rule: "The highest fee on the curve from now on: the base fee with its schedule or its limit by size, and what volatility adds",
  },
  first_buy: {
    reads: { PoolConfig: "enableFirstSwapWithMinFee" },
    rule: "Whether the launch's own first buy pays less than others",
  },
  pool_fees: {
    reads: {
      PoolConfig:
        "migrationFeeOption migratedCollectFeeMode migratedDynamicFee migratedPoolFeeBps migratedPoolBaseFeeMode migratedPoolBaseFeeBytes migratedCompoundingFeeBps",
      Pool: "poolFees collectFeeMode",
    },
    rule: "The highest fee in the pool after the curve",
  },
  creation_fee: {
    reads: { PoolConfig: "poolCreationFee" },
    rule: "What the launch itself paid besides rent",
  },
  migration_fee: {
    reads: {
      PoolConfig: "migrationFeePercentage creatorMigrationFeePercentage",
      VirtualPool: "protocolLiquidityMigrationFeeBps",
    },
    rule: "How much of the SOL raised is not put into the pool, but paid to creator, partner and protocol",
  },
  surplus: {
    reads: { VirtualPool: "quoteReserve" },
    rule: "SOL beyond what the migration needs, which is paid to creator, partner and protocol",
  },
  vesting: {
    reads: { PoolConfig: "lockedVestingConfig" },
    rule: "How many tokens the creator gets without buying them",
  },
  leftover: {
    reads: {
      PoolConfig:
        "leftoverReceiver fixedTokenSupplyFlag preMigrationTokenSupply postMigrationTokenSupply",
    },
    rule: "How many tokens are neither sold, nor in the pool, nor burned, and go to the leftover receiver; all shares are of what the migration leaves",
  },
  locked_liquidity: {
    reads: {
      PoolConfig:
        "feeClaimer migrationOption partnerLiquidityVestingInfo creatorLiquidityVestingInfo partnerPermanentLockedLiquidityPercentage partnerLiquidityPercentage creatorPermanentLockedLiquidityPercentage creatorLiquidityPercentage",
      Pool: "liquidity permanentLockLiquidity",
      Position: "pool unlockedLiquidity vestedLiquidity permanentLockedLiquidity innerVesting",
    },
    rule: "All liquidity of the migration is locked permanently, so that none of it can be withdrawn",
  },
  delegates: {
    reads: { Position: "nftMint delegatePermission" },
    rule: "No other wallet may move a locked position",
  },
  supply: {
    rule: "How many tokens there are, none of them made after the curve, and how many the programs hold",
  },
};
