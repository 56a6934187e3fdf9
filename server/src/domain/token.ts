export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

export interface OwnedToken extends TokenRef {
  readonly wallet: string;
}
