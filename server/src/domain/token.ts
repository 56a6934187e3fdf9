/** A token's addresses. */
export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

/** A token and the wallet of its agent. */
export interface OwnedToken extends TokenRef {
  readonly wallet: string;
}
