import type { FeeSchedule, Market, PublicToken, TokenMetadata } from "./types.ts";

/** What a page of the service knows when it is opened, beside its script: it reads the rest. */
export interface PageFacts {
  readonly brand: Brand;
  readonly start?: StartFacts;
  readonly token?: TokenFacts;
  readonly agent?: AgentFacts;
}

/** How the operator calls the service. */
export interface Brand {
  readonly name: string;
  readonly hasLogo: boolean;
  /** Its API, fees, terms, source and the like: URLs, or paths under the service's. */
  readonly pages: readonly { readonly name: string; readonly href: string }[];
  readonly version: string;
}

export interface TokenFacts {
  readonly token: PublicToken;
  readonly about: TokenMetadata;
  /** Null until the service has read the pool. */
  readonly market: Market | null;
  /** What the price has changed by in 24 hours, for example 0.1 for 10 %; null if it is not known. */
  readonly change: number | null;
  readonly migratedAt: string | null;
  /** Other tokens of its creator, newest first. */
  readonly others: readonly ShownToken[];
}

/** A token as lists for anyone show it. */
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
  /** Whether others follow. */
  readonly hasMore: boolean;
}

export interface StartFacts extends TokenPage {
  /** Null if the service shows no tokens of all agents. */
  readonly totals: Readonly<
    Record<"tokens" | "tradedSOL" | "earnedSOL" | "paidSOL", number>
  > | null;
  /** The fees of tokens that are launched now; null if they are not known. */
  readonly fees: FeeSchedule | null;
}

export interface AgentFacts {
  readonly wallet: string;
  /** When it launched its first token that is shown. */
  readonly since: string;
  /** Fees of the bonding curves of its tokens. */
  readonly earnedSOL: number;
  /** Newest first, at most 100. */
  readonly tokens: readonly ShownToken[];
}
