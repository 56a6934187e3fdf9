export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

export interface OwnedToken extends TokenRef {
  readonly wallet: string;
}

const SETTLING_MS = 30_000;

/** Soon after a claim or a hand-over a node may still show what was before. */
export function isSettling(since: number | null, now: number): boolean {
  return since !== null && now - since < SETTLING_MS;
}
