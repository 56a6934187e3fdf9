/** A token's program: SPL Token with Metaplex's metadata, or Token-2022 with its own metadata. */
export type TokenStandard = (typeof TOKEN_STANDARDS)[number];

// This file has no imports, so that `tokend --help` does not load Meteora's libraries.
export const TOKEN_STANDARDS = ["spl", "token-2022"] as const;
export const FALL_SHAPES = ["linear", "exponential"] as const;

/** What an operator chooses for all tokens launched under a config. */
export interface ConfigTerms extends Protection {
  /** Fee of a trade (the last if it falls) in 0.01 %, 25 to 9900; after migration at most 1000. */
  readonly feeBps: number;
  /** The agent's share of fees and of the liquidity after migration in percent, 1 to 100. */
  readonly creatorShare: number;
  /** Value of all tokens at the first trade, in SOL. */
  readonly initialMarketCap: number;
  /** Value of all tokens at which the curve migrates to DAMM v2, in SOL. */
  readonly migrationMarketCap: number;
  /** A Token-2022 launch costs less than half as much: the mint itself holds the metadata. */
  readonly tokenStandard: TokenStandard;
  /** What a new token costs its payer besides the rent, in lamports: 0, or 0.001 to 100 SOL. */
  readonly creationLamports: bigint;
}

/** How a config protects a new token from buyers in its first seconds. */
export interface Protection {
  /** Fee of a new token's first trades in hundredths of a percent; 0 if the fee does not fall. */
  readonly startFeeBps: number;
  /** Seconds within which it falls, in at most 100 steps of whole seconds. */
  readonly fallSeconds: number;
  readonly fallShape: (typeof FALL_SHAPES)[number];
  /** Whether a moving price adds up to a fifth of `feeBps`, on the curve and after it. */
  readonly dynamicFee: boolean;
  /** Whether an agent's first buy in its own launch pays only `feeBps`. */
  readonly firstBuyAtLowestFee: boolean;
  /**
   * Percent of the migrated liquidity that the agent can withdraw, day by day; all else is locked.
   */
  readonly vestingShare: number;
  /** Days after which the agent can withdraw all of that, 2 to 730. */
  readonly vestingDays: number;
}

const plain: Protection = {
  startFeeBps: 0,
  fallSeconds: 600,
  fallShape: "exponential",
  dynamicFee: false,
  firstBuyAtLowestFee: false,
  vestingShare: 0,
  vestingDays: 180,
};

/** The values of `tokend config create --preset`. */
export const PRESETS = {
  plain,
  fair: { ...plain, startFeeBps: 5_000 },
  patient: {
    ...plain,
    startFeeBps: 2_500,
    fallSeconds: 3_600,
    fallShape: "linear",
    dynamicFee: true,
    firstBuyAtLowestFee: true,
  },
} as const satisfies Readonly<Record<string, Protection>>;

export const DEFAULT_CONFIG_TERMS: ConfigTerms = {
  feeBps: 100,
  creatorShare: 100,
  initialMarketCap: 30,
  migrationMarketCap: 300,
  tokenStandard: "token-2022",
  creationLamports: 0n,
  ...PRESETS.plain,
};
