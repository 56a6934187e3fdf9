/** The token program that holds a token: SPL Token with Metaplex's metadata, or Token-2022 with its own. */
export type TokenStandard = (typeof TOKEN_STANDARDS)[number];

// In a file without imports, so that `tokend --help` does not load Meteora's libraries.
export const TOKEN_STANDARDS = ["spl", "token-2022"] as const;

/** What an operator chooses for all tokens launched under a config. */
export interface ConfigTerms {
  /** Fee of a trade in hundredths of a percent, 25 to 9900. After migration at most 1000. */
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

export const DEFAULT_CONFIG_TERMS: ConfigTerms = {
  feeBps: 100,
  creatorShare: 100,
  initialMarketCap: 30,
  migrationMarketCap: 300,
  tokenStandard: "token-2022",
  creationLamports: 0n,
};
