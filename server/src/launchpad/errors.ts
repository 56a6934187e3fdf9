import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../base/service-error.ts";
import type { CreatorChange } from "./launchpad.ts";

/** An error between the service and the chain. `message` is public. */
abstract class ChainError extends Error {
  abstract readonly code: string;

  /**
   * @param message may quote a program or a node: U+0000, which databases do not store, is left out
   */
  constructor(message: string, cause?: unknown) {
    super(message.replaceAll("\0", ""), { cause });
    this.name = new.target.name;
  }
}

/** The chain refused a launch, and no retry could help. */
export class LaunchRefusedError extends ChainError {
  readonly code = "launch_refused";

  /** @param agentLamports what its transaction took from the agent that was to pay, if it landed */
  constructor(
    message: string,
    cause?: unknown,
    readonly agentLamports = 0n,
  ) {
    super(message, cause);
  }
}

/** The token of a launch that its agent is to sign is on chain already: a restored database does not know it. */
export class AlreadyLaunchedError extends ChainError {
  readonly code = "already_launched";
}

/** Nothing that its agent signed can put the launch on chain: it must sign a new transaction. */
export class SignatureNeededError extends ChainError {
  readonly code = "signature_needed";
}

export class LaunchWalletError extends ChainError {
  readonly code: string = "launch_wallet";
}

export class DailyBudgetSpentError extends LaunchWalletError {
  override readonly code = "daily_budget";
}

/** The cluster cannot be reached or does not answer sensibly; nothing is decided. */
export class ChainUnavailableError extends ChainError {
  readonly code: string = "chain_unavailable";

  /** @param retryAfterSeconds until the node may be asked again; null if it did not say */
  constructor(
    message: string,
    cause?: unknown,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message, cause);
  }
}

/** The RPC leads to another cluster than the database belongs to; that cluster is not used. */
export class WrongClusterError extends ChainUnavailableError {
  override readonly code = "wrong_cluster";
}

/** A token's accounts on chain are not as a launch makes them. */
export class TokenUnreadableError extends ChainError {
  readonly code = "token_unreadable";
}

type Funds = Pick<InsufficientSolError, "required" | "balance">;

/** The agent's wallet cannot pay for a claim, whose fees arrive only after it has paid. */
export class InsufficientSolError extends ChainError {
  readonly code: "insufficient_sol" | "launch_unaffordable" = "insufficient_sol";
  readonly required: bigint;
  readonly balance: bigint;

  constructor(
    wallet: string,
    {
      required,
      balance,
      takes = "a claim takes <SOL> SOL up front, for the network fee and the rent of token accounts",
      again = "claim again",
    }: Funds & { readonly takes?: string; readonly again?: string },
    cause?: unknown,
  ) {
    const need = takes.replace("<SOL>", formatSol(required));
    super(
      `The wallet holds ${formatSol(balance)} SOL, and ${need}: send at least ${formatSol(required - balance)} SOL to ${wallet}, then ${again}`,
      cause,
    );
    this.required = required;
    this.balance = balance;
  }
}

export class LaunchUnaffordableError extends InsufficientSolError {
  override readonly code = "launch_unaffordable";

  constructor(wallet: string, funds: Funds, cause?: unknown) {
    const takes = "the launch takes <SOL> SOL, with what a wallet must keep";
    super(wallet, { ...funds, takes, again: "ask for the transaction again" }, cause);
  }
}

export class NotAWalletError extends ChainError {
  readonly code = "not_a_wallet";

  constructor(readonly index: number) {
    super("must be the address of a wallet");
  }
}

export class ReceiverRentError extends ChainError {
  readonly code = "receiver_below_minimum";

  constructor(address: string, lamports: bigint, minimum: bigint) {
    super(
      `${address} would get ${formatSol(lamports)} SOL, and a wallet must hold at least ${formatSol(minimum)} SOL: wait for more fees, give it a larger share, or send SOL to it first`,
    );
  }
}

export class ClaimBuildError extends ChainError {
  readonly code = "claim_build_failed";
}

export class ClaimRefusedError extends ChainError {
  readonly code: string = "claim_refused";
}

/** Another claim has taken the fees since this one was built. */
export class FeesTakenError extends ClaimRefusedError {
  override readonly code = "no_fees_to_claim";
}

/** The fees belong to another wallet now: the agent gave away what they follow. */
export class CreatorChangedError extends ClaimRefusedError {
  override readonly code = "creator_changed";

  constructor({ bondingCurve, liquidityPool }: CreatorChange, cause?: unknown) {
    const ofCurve = bondingCurve && `The fees of the bonding curve belong to ${bondingCurve} now`;
    const ofPool =
      liquidityPool !== undefined &&
      "The fees of the liquidity pool belong to the holder of the position that this wallet had";
    super([ofCurve, ofPool].filter(Boolean).join(". "), cause);
  }
}

export class ReceiverRefusedError extends ChainError {
  readonly code = "receiver_not_wallet";
}

/** A claim transaction expired before it landed; it can never land. */
export class ClaimExpiredError extends ChainError {
  readonly code = "claim_expired";
}

/** A claim transaction no longer fits what is on chain; a new one does. */
export class ClaimOutdatedError extends ClaimExpiredError {}

/** The `Retry-After` if the chain gives none. */
const RETRY_AFTER_SECONDS = 5;

export function throwAsServiceError(fault: unknown): never {
  throw toServiceError(fault);
}

/** @returns the answer for an error between the service and the chain; any other error as it is */
export function toServiceError<Fault>(fault: Fault): ServiceError | Fault {
  if (!(fault instanceof ChainError)) return fault;
  const { code, message } = fault;
  const text = { text: message, cause: fault };
  const advice = { advice: message, cause: fault };
  if (fault instanceof InsufficientSolError) {
    const { required, balance } = fault;
    const facts = { requiredSOL: lamportsToSol(required), balanceSOL: lamportsToSol(balance) };
    return new ServiceError(fault.code, { ...advice, facts });
  }
  if (fault instanceof NotAWalletError) {
    const details = [{ field: `receivers/${fault.index}/address`, message }];
    return new ServiceError("validation_failed", { details });
  }
  if (fault instanceof ClaimOutdatedError) return new ServiceError("claim_expired", advice);
  switch (code) {
    case "claim_expired":
      return new ServiceError(code, { cause: fault });
    case "creator_changed":
    case "receiver_not_wallet":
    case "no_fees_to_claim":
    case "receiver_below_minimum":
      return new ServiceError(code, advice);
    // A wrong cluster has no `Retry-After`: only the operator can repair it, and must restart the server.
    case "launch_refused":
      return new ServiceError("launch_build_failed", text);
    case "wrong_cluster":
    case "claim_build_failed":
    case "claim_refused":
      return new ServiceError(code, text);
    case "chain_unavailable": {
      const { retryAfterSeconds } = fault as ChainError as ChainUnavailableError;
      return new ServiceError(code, {
        ...text,
        retryAfterSeconds: retryAfterSeconds ?? RETRY_AFTER_SECONDS,
      });
    }
    default:
      return fault;
  }
}
