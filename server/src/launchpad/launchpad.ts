/**
 * The port between the service and a chain. One implementation serves both chains
 * (`chain-launchpad.ts`: sign, journal, send, confirm); what differs between them is a
 * {@link PoolProgram}: which instructions make a launch or a claim, and where fees are read.
 */
export interface Launchpad {
  /**
   * Puts a launch on chain. Safe to call again after a crash or a failure: it first settles the
   * attempt in the journal, and never has two transactions that could both land.
   *
   * @throws {LaunchRefusedError} the chain refused it and no retry could mend that
   * @throws {ChainUnavailableError} nothing is decided, try again later
   * @throws {LaunchWalletError} the launch wallet cannot pay, try again once it is funded
   */
  deploy(order: LaunchOrder, journal: AttemptJournal, signal: AbortSignal): Promise<DeployedToken>;

  /**
   * Fees of many tokens of one agent, in the order given, with batched reads. A token that cannot be
   * read hides no other.
   *
   * @throws {ChainUnavailableError}
   */
  readFees(agent: string, tokens: readonly TokenRef[]): Promise<(TokenFees | UnreadableFees)[]>;

  /**
   * Builds the transaction by which the agent takes all fees of a token.
   *
   * @returns null when there is nothing to claim
   * @throws {InsufficientSolError} the agent's wallet cannot pay for it
   * @throws {ClaimBuildError} the transaction cannot be built
   * @throws {ChainUnavailableError}
   */
  buildClaim(agent: string, token: TokenRef): Promise<UnsignedClaim | null>;

  /**
   * Sends a claim that the agent signed and waits until it is confirmed. Safe to call again with
   * the same bytes: a transaction lands once.
   *
   * @throws {InsufficientSolError} the agent's wallet cannot pay for it; nothing was sent
   * @throws {ClaimRefusedError} the chain refused it
   * @throws {ClaimExpiredError} it expired before it landed, and never will
   * @throws {ChainUnavailableError} nothing is known yet
   */
  submitClaim(claim: SignedClaim, signal: AbortSignal): Promise<ConfirmedClaim>;

  /** One look at the chain: reachable, in step, and the launch wallet able to pay. Never throws. */
  probe(): Promise<ChainProbe>;
}

/** A launch as the chain needs to know it. */
export interface LaunchOrder {
  /** The launch's UUID; the mint's and the pool's addresses follow from it. */
  readonly eventId: string;
  /** The agent's wallet, to which all creator fees belong. */
  readonly wallet: string;
  readonly name: string;
  readonly ticker: string;
}

/**
 * A signed transaction that was stored before it was first sent, with the addresses that it makes:
 * a change of secret or config between attempts cannot hide what an older one did.
 */
export interface LaunchAttempt {
  readonly tokenMint: string;
  readonly poolAddress: string;
  /** Base58 signature by which the chain knows it. */
  readonly signature: string;
  /** The signed bytes; re-sent as they are. */
  readonly transaction: Uint8Array;
  /** The block height after which it can no longer land. */
  readonly lastValidBlockHeight: number;
}

/** Where a launch's attempts are kept, so that a restart knows what was sent. */
export interface AttemptJournal {
  /** The latest attempt, or null when nothing was ever signed. */
  readonly latest: LaunchAttempt | null;
  /** Stores an attempt durably; called before it is first sent. Throws when the lease was lost. */
  record(attempt: LaunchAttempt): void;
}

export interface DeployedToken {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

export interface TokenRef {
  readonly tokenMint: string;
  readonly poolAddress: string;
}

/** Lamports of one kind of fee. `claimable + claimed = total`. */
export interface FeeTotals {
  readonly claimable: bigint;
  readonly claimed: bigint;
  readonly total: bigint;
}

export interface TokenFees {
  readonly bondingCurve: FeeTotals;
  readonly liquidityPool: FeeTotals;
  readonly isMigrated: boolean;
}

/** The chain answers, but a token on it is missing or is not as a launch makes it. */
export interface UnreadableFees {
  /** What is wrong, fit for anyone to read. */
  readonly unreadable: string;
}

export interface UnsignedClaim {
  /** The serialized legacy message; what the agent's signature covers. */
  readonly message: Uint8Array;
  /** The wire transaction around it, with an empty signature. */
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
  /** For about how long it can still land. */
  readonly expiresInSeconds: number;
}

export interface SignedClaim {
  readonly agent: string;
  readonly token: TokenRef;
  readonly signature: string;
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
  /** Whether it may have been sent before: then it counts as refused only once it has failed on chain. */
  readonly mayBeUnderWay: boolean;
}

export interface ConfirmedClaim {
  readonly signature: string;
  /** What the pool's vaults paid. */
  readonly paidLamports: bigint;
}

export interface ChainProbe {
  readonly ok: boolean;
  /** What is wrong and what to do about it; null when all is well. Holds no URL. */
  readonly problem: string | null;
  /** The launch wallet's balance; null when it could not be read. */
  readonly walletLamports: bigint | null;
}
