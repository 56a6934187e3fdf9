/** A token's addresses. */
export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

/** A token and the wallet of its agent. */
export interface OwnedToken extends TokenRef {
  readonly wallet: string;
}

/** The kinds of fees: of the bonding curve, and of the liquidity pool after it. */
export type FeeKind = "bondingCurve" | "liquidityPool";

/** Lamports that a claim took of one token, by kind. Fees are in SOL alone. */
export interface TokenPayout extends Readonly<Record<FeeKind, bigint>> {
  readonly tokenMint: string;
}
