import type { Market, MarketHistory } from "@tokenctl/sdk";
import { limits } from "@tokenctl/shared/limits";
import { type Loaded, useEvery, useLoad } from "./load.ts";
import { anyone } from "./read.ts";

/** Reads again at intervals while the page is visible, and when it becomes visible. */
export function useFollowed<Read extends Loaded<unknown>>(read: Read): Read {
  useEvery(15_000, read.reload);
  return read;
}

/** Follows a token's market, with the prices of the last 24 hours or 30 days. */
export function useMarket(mint: string, period: "day" | "month"): Loaded<MarketHistory> {
  return useFollowed(useLoad((signal) => anyone.market(mint, { period, signal }), [mint, period]));
}

/** Follows the markets of tokens. Returns those that the service knows, by mint. */
export function useMarkets(mints: readonly string[]): ReadonlyMap<string, Market> {
  const read = async (signal: AbortSignal) => {
    const found = new Map<string, Market>();
    for (let from = 0; from < mints.length; from += limits.markets.tokens) {
      const part = mints.slice(from, from + limits.markets.tokens);
      const { markets } = await anyone.markets(part, { signal });
      for (const market of markets) found.set(market.tokenMint, market);
    }
    return found;
  };
  return useFollowed(useLoad(read, [mints.join()])).data ?? NONE;
}

const NONE: ReadonlyMap<string, Market> = new Map();

/** Returns the progress of a curve from 0 to 1. */
export const progressOf = ({ raisedSOL, graduationSOL }: Market) =>
  Math.min(1, raisedSOL / graduationSOL);
