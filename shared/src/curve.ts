import type { CurveKnot } from "./types.ts";

/**
 * Computes what a new curve sells for an amount after the fee. Between two knots, the square root
 * of the price grows in proportion to the SOL. So the tokens between two points are the SOL between
 * them divided by the geometric mean of their prices.
 * @returns whole tokens; null if the amount exceeds the curve
 */
export function tokensFor(knots: readonly CurveKnot[], sol: number): number | null {
  let tokens = 0;
  for (const [index, from] of knots.entries()) {
    const to = knots[index + 1];
    if (!to) break;
    const isLast = sol <= to.raisedSOL;
    const end = isLast ? sol : to.raisedSOL;
    const [first, last] = [Math.sqrt(from.priceSOL), Math.sqrt(to.priceSOL)];
    const share = (end - from.raisedSOL) / (to.raisedSOL - from.raisedSOL);
    tokens += (end - from.raisedSOL) / (first * (first + (last - first) * share));
    if (isLast) return tokens;
  }
  return null;
}
