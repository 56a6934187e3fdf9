export type FeeKind = "bondingCurve" | "liquidityPool";

/** Lamports that a claim took of one token, by kind. Fees are in SOL alone. */
export interface TokenPayout extends Readonly<Record<FeeKind, bigint>> {
  readonly tokenMint: string;
}

export interface Receiver {
  /** Base58. */
  readonly address: string;
  /** A whole percentage; those of a claim add up to 100. */
  readonly share: number;
}

/** What a receiver gets. JSON in the database. */
export interface PaidReceiver {
  readonly address: string;
  /** In decimal. */
  readonly lamports: string;
}

export interface ConfirmedClaim {
  readonly signature: string;
  /** Lamports that the pools' vaults paid. */
  readonly paidLamports: bigint;
}

export interface LandedClaim extends ConfirmedClaim {
  /** One for each token; their sum is `paidLamports`. */
  readonly payouts: readonly TokenPayout[];
}
