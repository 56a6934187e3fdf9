import type { ErrorCode } from "@tokenctl/shared/error-codes";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../base/service-error.ts";
import type { SigningKind } from "../domain/signing.ts";
import type { TokenRef } from "../domain/token.ts";
import type { CreatorChange } from "./pool-program.ts";

/** An error between the service and the chain. `message` is public. */
abstract class ChainError extends Error {
  abstract readonly code: string;

  /** @param message may quote a program or node; U+0000 is removed, because databases refuse it */
  constructor(message: string, cause?: unknown) {
    super(message.replaceAll("\0", ""), { cause });
    this.name = new.target.name;
  }
}

/** The chain refused a launch that the operator pays for, and no retry can help. */
export class LaunchRefusedError extends ChainError {
  readonly code = "launch_refused";
}

/** The token of an unsigned launch is on chain already: a restored database does not know it. */
export class AlreadyLaunchedError extends ChainError {
  readonly code = "already_launched";

  constructor(readonly token: TokenRef) {
    super("Its token is on chain already");
  }
}

export class LaunchWalletError extends ChainError {
  readonly code: string = "launch_wallet";
}

export class DailyBudgetSpentError extends LaunchWalletError {
  override readonly code = "daily_budget";
}

type OutageFacts = Pick<ChainUnavailableError, "retryAfterSeconds" | "isOutage">;

/** The cluster cannot be reached or does not answer sensibly; nothing is decided. */
export class ChainUnavailableError extends ChainError {
  readonly code: string = "chain_unavailable";

  /** Seconds until the node may be asked again; null if it did not say. */
  readonly retryAfterSeconds: number | null;
  /** Whether certainly nothing that an agent sent caused it, so that it concerns all launches. */
  readonly isOutage: boolean;

  constructor(
    message: string,
    cause?: unknown,
    { retryAfterSeconds = null, isOutage = false }: Partial<OutageFacts> = {},
  ) {
    super(message, cause);
    this.retryAfterSeconds = retryAfterSeconds;
    this.isOutage = isOutage;
  }
}

/** The RPC serves another cluster than the database belongs to; the service does not use it. */
export class WrongClusterError extends ChainUnavailableError {
  override readonly code = "wrong_cluster";
}

/** A token's accounts on chain differ from what a launch creates. */
export class TokenUnreadableError extends ChainError {
  readonly code = "token_unreadable";
}

export const SIGNED_NAMES: Readonly<Record<SigningKind, string>> = {
  claim: "claim",
  hand_over: "hand-over",
  launch: "launch",
};

/** An error about a transaction that an agent signs. */
abstract class SigningError extends ChainError {
  constructor(
    readonly kind: SigningKind,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause);
  }
}

interface Shortage {
  readonly required: bigint;
  readonly balance: bigint;
}

const SHORT: Readonly<Record<SigningKind, readonly [takes: string, again: string]>> = {
  claim: [" up front, for the network fee and the rent of token accounts", "claim again"],
  hand_over: [", with what a wallet must keep", "hand the token over again"],
  launch: [", with what a wallet must keep", "ask for the transaction again"],
};

/** The agent's wallet cannot pay: a claim's fees arrive only after it has paid. */
export class UnaffordableError extends SigningError {
  readonly code = "unaffordable";
  readonly required: bigint;
  readonly balance: bigint;

  constructor(kind: SigningKind, wallet: string, { required, balance }: Shortage, cause?: unknown) {
    const [takes, again] = SHORT[kind];
    super(
      kind,
      `The wallet holds ${formatSol(balance)} SOL, and the ${SIGNED_NAMES[kind]} takes ${formatSol(required)} SOL${takes}: send at least ${formatSol(required - balance)} SOL to ${wallet}, then ${again}`,
      cause,
    );
    this.required = required;
    this.balance = balance;
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

/** The transaction cannot be built, or the chain would refuse it: nothing is handed out. */
export class BuildError extends SigningError {
  readonly code = "not_built";

  /** @param advice replaces the advice of the error code */
  constructor(
    kind: SigningKind,
    message: string,
    cause?: unknown,
    readonly advice?: string,
  ) {
    super(kind, message, cause);
  }
}

/** The chain refused what the agent signed. */
export class RefusedError extends SigningError {
  readonly code: string = "refused";
}

/** Another claim has taken the fees since this one was built. */
export class FeesTakenError extends RefusedError {
  override readonly code = "no_fees_to_claim";

  constructor(message: string, cause?: unknown) {
    super("claim", message, cause);
  }
}

/** The fees now belong to another wallet: the agent gave away the role or position they follow. */
export class CreatorChangedError extends RefusedError {
  override readonly code = "creator_changed";

  constructor({ bondingCurve, liquidityPool }: CreatorChange, cause?: unknown) {
    const ofCurve = bondingCurve && `The fees of the bonding curve belong to ${bondingCurve} now`;
    const ofPool =
      liquidityPool !== undefined &&
      "The fees of the liquidity pool belong to the holder of the position that this wallet had";
    super("claim", [ofCurve, ofPool].filter(Boolean).join(". "), cause);
  }
}

export class ReceiverRefusedError extends ChainError {
  readonly code = "receiver_not_wallet";
}

/** The transaction expired, or no longer fits the chain's state, as the message says. */
export class ExpiredError extends SigningError {
  readonly code = "expired";

  constructor(kind: SigningKind, reason = "", cause?: unknown) {
    super(kind, reason === "" ? "" : `${reason}: request a new transaction`, cause);
  }
}

/** The transaction of a launch landed and failed, which cost its agent a fee. */
export class FailedLaunchError extends SigningError {
  readonly code = "failed";

  /** @param agentLamports what the transaction took from the agent */
  constructor(
    cause: Error,
    readonly agentLamports: bigint,
  ) {
    super("launch", cause.message, cause);
  }
}

/** The `Retry-After` if the chain gives none. */
const RETRY_AFTER_SECONDS = 5;

/** The error codes of each kind of transaction that agents sign, by what went wrong. */
export const SIGNING_CODES = {
  claim: {
    unaffordable: "insufficient_sol",
    not_built: "claim_build_failed",
    refused: "claim_refused",
    expired: "claim_expired",
    mismatch: "claim_mismatch",
    unsigned: "claim_unsigned",
    unsettled: "claim_unsettled",
  },
  hand_over: {
    unaffordable: "hand_over_unaffordable",
    not_built: "hand_over_refused",
    refused: "hand_over_refused",
    expired: "hand_over_expired",
    mismatch: "hand_over_mismatch",
    unsigned: "hand_over_mismatch",
    unsettled: "hand_over_unsettled",
  },
  launch: {
    unaffordable: "launch_unaffordable",
    not_built: "launch_build_failed",
    refused: "launch_build_failed",
    expired: "launch_expired",
    mismatch: "launch_mismatch",
    unsigned: "launch_mismatch",
    unsettled: "chain_unavailable",
  },
} as const satisfies Record<SigningKind, Record<string, ErrorCode>>;

export function throwAsServiceError(fault: unknown): never {
  throw toServiceError(fault);
}

/** @returns the response to an error between service and chain; any other error unchanged */
export function toServiceError<Fault>(fault: Fault): ServiceError | Fault {
  if (!(fault instanceof ChainError)) return fault;
  const { code, message } = fault;
  const text = { text: message, cause: fault };
  const advice = { advice: message, cause: fault };
  if (fault instanceof UnaffordableError) {
    const { required, balance, kind } = fault;
    const facts = { requiredSOL: lamportsToSol(required), balanceSOL: lamportsToSol(balance) };
    return new ServiceError(SIGNING_CODES[kind].unaffordable, { ...advice, facts });
  }
  if (fault instanceof NotAWalletError) {
    const details = [{ field: `receivers/${fault.index}/address`, message }];
    return new ServiceError("validation_failed", { details });
  }
  if (fault instanceof ExpiredError) {
    const about = message === "" ? { cause: fault } : advice;
    return new ServiceError(SIGNING_CODES[fault.kind].expired, about);
  }
  switch (code) {
    case "creator_changed":
    case "receiver_not_wallet":
    case "no_fees_to_claim":
    case "receiver_below_minimum":
      return new ServiceError(code, advice);
    case "launch_refused":
      return new ServiceError("launch_build_failed", text);
    case "not_built":
    case "refused": {
      const { kind } = fault as ChainError as RefusedError;
      const other = fault instanceof BuildError && fault.advice ? { advice: fault.advice } : {};
      return new ServiceError(SIGNING_CODES[kind][code], { ...text, ...other });
    }
    // This error has no `Retry-After`: only the operator can repair it, with a restart.
    case "wrong_cluster":
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

/**
 * - `unknown_token`: the token is not on this chain.
 * - `already_migrated`: the pool has graduated already.
 * - `amount_too_small`: the amount buys nothing, or is too small for a new wallet.
 * - `airdrop_refused`: the address cannot be paid, for example because it is a program's.
 * - `pool_exhausted`: the pool does not hold that much.
 * - `insufficient_holdings`: the sandbox's trader does not hold that many tokens.
 */
export type SandboxErrorCode =
  | "unknown_token"
  | "already_migrated"
  | "amount_too_small"
  | "airdrop_refused"
  | "pool_exhausted"
  | "insufficient_holdings";

/** Something that the sandbox cannot do; the message says why and is public. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";

  constructor(
    readonly code: SandboxErrorCode,
    message: string,
  ) {
    super(message);
  }
}
