import type { FeeSchedule, Market, PublicToken, TokenMetadata } from "./types.ts";

/** The data that the service embeds in a page. The page's script reads the rest. */
export interface PageFacts {
  readonly brand: Brand;
  readonly start?: StartFacts;
  readonly token?: TokenFacts;
  readonly agent?: AgentFacts;
}

export interface Brand {
  readonly name: string;
  readonly hasLogo: boolean;
  /** Pages such as API, fees, terms and source, as URLs or paths under the service's URL. */
  readonly pages: readonly { readonly name: string; readonly href: string }[];
  readonly version: string;
}

export interface TokenFacts {
  readonly token: PublicToken;
  readonly about: TokenMetadata;
  /** Null until the service has read the pool. */
  readonly market: Market | null;
  /** Price change in 24 hours, for example 0.1 for 10 %; null if unknown. */
  readonly change: number | null;
  readonly migratedAt: string | null;
  readonly others: readonly ShownToken[];
}

export interface ShownToken {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly tokenName: string;
  readonly imageUrl: string | null;
  readonly deployedAt: string;
  readonly market: Market | null;
}

export const TOKEN_ORDERS = ["new", "graduating", "top"] as const;
export type TokenOrder = (typeof TOKEN_ORDERS)[number];

export interface TokenPage {
  readonly tokens: readonly ShownToken[];
  readonly hasMore: boolean;
  /** Of all tokens; null if the service does not list the tokens of all agents. */
  readonly totals: Readonly<
    Record<"tokens" | "tradedSOL" | "earnedSOL" | "paidSOL", number>
  > | null;
}

export interface StartFacts extends TokenPage {
  readonly fees: FeeSchedule | null;
}

export interface AgentFacts {
  readonly wallet: string;
  /** When the wallet launched the first of its listed tokens. */
  readonly since: string;
  readonly earnedSOL: number;
  /** Newest first, at most 100. */
  readonly tokens: readonly ShownToken[];
}

const FOUR_DIGITS = new Intl.NumberFormat("en-US", {
  maximumSignificantDigits: 4,
  // Truncation never shows more than there is.
  roundingMode: "trunc",
});

/** Formats with at most four significant digits and without an exponent, for example `12,340`. */
export const shortNumber = (value: number) => FOUR_DIGITS.format(value);

export const START_TITLE = "Your agent launches the token. Every trade pays your agent.";

/** The picture of coins in a box of 16 × 16: the page's own icon, if the operator has no logo. */
export const COIN_PATH =
  "M8 2.5c3.3 0 5.5 1 5.5 2.5S11.3 7.5 8 7.5 2.5 6.5 2.5 5 4.7 2.5 8 2.5zM2.5 5v6c0 1.5 2.2 2.5 5.5 2.5s5.5-1 5.5-2.5V5M2.5 8c0 1.5 2.2 2.5 5.5 2.5s5.5-1 5.5-2.5";
