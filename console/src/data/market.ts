import type { Market, MarketHistory } from "@tokenctl/sdk";
import { limits } from "@tokenctl/shared/limits";
import { type Loaded, useEvery, useLoad } from "./load.ts";
import { anyone } from "./read.ts";

export function useFollowed<Read extends Loaded<unknown>>(read: Read): Read {
  useEvery(15_000, read.reload);
  return read;
}

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

export const progressOf = ({ raisedSOL, graduationSOL }: Market) =>
  Math.min(1, raisedSOL / graduationSOL);
