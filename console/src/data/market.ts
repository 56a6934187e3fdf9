import type { Market, MarketHistory, PricePoint } from "@tokenctl/sdk";
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

/** Maximum number of changes shown. */
const LATEST = 8;

/** Returns the SOL a curve took in between prices, newest first; negative if it paid out more. */
export function changesOf(curve: MarketHistory["curve"], prices: readonly PricePoint[]) {
  const raised = prices.map(({ priceSOL }) => raisedAt(curve, priceSOL));
  return prices
    .map(({ at }, n) => ({ at, sol: inLamports((raised[n] ?? 0) - (raised[n - 1] ?? 0)) }))
    .filter(({ sol }, n) => n > 0 && sol !== 0)
    .slice(-LATEST)
    .reverse();
}

const inLamports = (sol: number) => Math.round(sol * 1e9) / 1e9;

/** Between two knots of a curve, the SOL in it grows with the square root of the price. */
function raisedAt(curve: MarketHistory["curve"], priceSOL: number): number {
  const next = curve.findIndex((knot) => knot.priceSOL >= priceSOL);
  const [from, to] = [curve[next - 1], curve[next] ?? curve.at(-1)];
  if (!from || !to) return to?.raisedSOL ?? 0;
  const [least, most, root] = [from.priceSOL, to.priceSOL, priceSOL].map(Math.sqrt);
  const part = ((root ?? 0) - (least ?? 0)) / ((most ?? 0) - (least ?? 0));
  return from.raisedSOL + part * (to.raisedSOL - from.raisedSOL);
}
