import { formatSol } from "@tokenctl/shared/sol";

/** What can go wrong between the service and the chain. `message` is fit for anyone to read. */
abstract class ChainError extends Error {
  abstract readonly code: string;

  /** @param cause what happened underneath; for logs only */
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
  }
}

/** The chain refused a launch for a reason that no retry could mend. */
export class LaunchRefusedError extends ChainError {
  readonly code = "launch_refused";
}

/** The launch wallet cannot pay for a launch now. */
export class LaunchWalletError extends ChainError {
  readonly code = "launch_wallet";
}

/** The cluster cannot be reached or does not answer sensibly; what was asked is undecided. */
export class ChainUnavailableError extends ChainError {
  readonly code: string = "chain_unavailable";
  /** Seconds after which the node said to ask again; null where it said nothing. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, cause?: unknown, retryAfterSeconds: number | null = null) {
    super(message, cause);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The RPC leads to another cluster than the database belongs to: nothing is asked of that one. */
export class WrongClusterError extends ChainUnavailableError {
  override readonly code = "wrong_cluster";
}

/** What is on chain of a token is not what a launch makes. */
export class TokenUnreadableError extends ChainError {
  readonly code = "token_unreadable";
}

/** The agent's wallet cannot pay for a claim, whose fees come in only after it has paid. */
export class InsufficientSolError extends ChainError {
  readonly code = "insufficient_sol";
  /** Lamports that the wallet must hold. */
  readonly required: bigint;
  /** Lamports that it holds. */
  readonly balance: bigint;

  constructor(wallet: string, required: bigint, balance: bigint, cause?: unknown) {
    super(
      `The wallet holds ${formatSol(balance)} SOL, and a claim takes ${formatSol(required)} SOL up front, for the network fee and the rent of token accounts: send at least ${formatSol(required - balance)} SOL to ${wallet}, then claim again`,
      cause,
    );
    this.required = required;
    this.balance = balance;
  }
}

/** A claim transaction cannot be built. */
export class ClaimBuildError extends ChainError {
  readonly code = "claim_build_failed";
}

/** The chain refused a claim transaction. */
export class ClaimRefusedError extends ChainError {
  readonly code = "claim_refused";
}

/** A claim transaction expired before it landed, and never will land. */
export class ClaimExpiredError extends ChainError {
  readonly code = "claim_expired";
}
