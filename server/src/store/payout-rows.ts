import type { ClaimRow, PaidClaim, TokenPayoutRow, TokenSum } from "./claim-store.ts";

/** Sums of one token's payouts; lamports as text, because a driver may return them as a double. */
interface PaidSum {
  readonly tokenMint: string;
  readonly curve: string;
  readonly pool: string;
}

/** @returns the rows to store of what a claim paid; none for a token of which it paid nothing */
export function payoutRows(claimId: number, paid: readonly TokenPayoutRow[]) {
  return paid.flatMap(({ tokenMint, bondingCurve, liquidityPool }, position) =>
    bondingCurve + liquidityPool === 0n
      ? []
      : {
          claimId,
          position,
          tokenMint,
          curveLamports: bondingCurve,
          poolLamports: liquidityPool,
        },
  );
}

/** @returns the tokens of which a claim paid something */
export function paidMints({ payouts }: PaidClaim): string[] {
  return payouts
    .filter(({ bondingCurve, liquidityPool }) => bondingCurve + liquidityPool > 0n)
    .map((payout) => payout.tokenMint);
}

/** @param open the claims whose outcome is not known */
export function toTokenSums(
  sums: readonly PaidSum[],
  open: readonly Pick<ClaimRow, "tokenMint" | "otherMints">[],
): ReadonlyMap<string, TokenSum> {
  const paid = new Map<string, TokenSum>(
    sums.map(({ tokenMint, curve, pool }) => [
      tokenMint,
      { bondingCurve: BigInt(curve), liquidityPool: BigInt(pool), isWhole: true },
    ]),
  );
  for (const { tokenMint, otherMints } of open) {
    for (const mint of [tokenMint, ...otherMints]) {
      const known = paid.get(mint) ?? { bondingCurve: 0n, liquidityPool: 0n };
      paid.set(mint, { ...known, isWhole: false });
    }
  }
  return paid;
}
