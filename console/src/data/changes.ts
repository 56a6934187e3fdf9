import type { MarketHistory, PricePoint } from "@tokenctl/sdk";

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
