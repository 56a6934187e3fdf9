/** The token program that holds a token: SPL Token with Metaplex's metadata, or Token-2022 with its own. */
export type TokenStandard = (typeof TOKEN_STANDARDS)[number];

// In a file without imports, so that `tokend --help` does not load Meteora's libraries.
export const TOKEN_STANDARDS = ["spl", "token-2022"] as const;
export const FALL_SHAPES = ["linear", "exponential"] as const;

/** What an operator chooses for all tokens launched under a config. */
export interface ConfigTerms extends Protection {
  /** Fee of a trade in hundredths of a percent, 25 to 9900; the last one if it falls. After migration at most 1000. */
  readonly feeBps: number;
  /** The agent's share of fees and of the liquidity after migration in percent, 1 to 100. */
  readonly creatorShare: number;
  /** Value of all tokens at the first trade, in SOL. */
  readonly initialMarketCap: number;
  /** Value of all tokens at which the curve migrates to DAMM v2, in SOL. */
  readonly migrationMarketCap: number;
  /** A Token-2022 launch takes less than half of the lamports: the mint itself holds the metadata. */
  readonly tokenStandard: TokenStandard;
  /** What a new token takes from its payer beside the rent, in lamports: 0, or 0.001 to 100 SOL. */
  readonly creationLamports: bigint;
}

/** What a config does about those who buy a new token within its first seconds. */
export interface Protection {
  /** Fee of a new token's first trades in hundredths of a percent; 0 if the fee does not fall. */
  readonly startFeeBps: number;
  /** Seconds within which it falls, in at most 100 steps of whole seconds. */
  readonly fallSeconds: number;
  readonly fallShape: (typeof FALL_SHAPES)[number];
  /** Whether a price that moves adds up to a fifth of `feeBps`, on the curve and after it. */
  readonly dynamicFee: boolean;
  /** Whether what an agent buys in its own launch pays `feeBps` from the start. */
  readonly firstBuyAtLowestFee: boolean;
  /** How much of the liquidity after migration the agent can withdraw, day by day, in percent; all else is locked permanently. */
  readonly vestingShare: number;
  /** Days after which it can withdraw all of that, 2 to 730. */
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

/** By their names for `tokend config create --preset`. */
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
