import type { ErrorCode } from "@tokenctl/shared/error-codes";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../base/service-error.ts";
import type { SigningKind } from "../domain/signing.ts";
import type { TokenRef } from "../domain/token.ts";
import type { CreatorChange } from "./pool-program.ts";

/** An error between the service and the chain. `message` is public. */
abstract class ChainError extends Error {
  /** @param message may quote a program or node; U+0000 is removed, because databases refuse it */
  constructor(message: string, cause?: unknown) {
    super(message.replaceAll("\0", ""), { cause });
    this.name = new.target.name;
  }

  /** Returns the answer to the client whose request met it; null if it never answers a request. */
  response(): ServiceError | null {
    return null;
  }

  protected get asText() {
    return { text: this.message, cause: this };
  }

  protected get asAdvice() {
    return { advice: this.message, cause: this };
  }
}

/** The chain refused a launch that the operator pays for, and no retry can help. */
export class LaunchRefusedError extends ChainError {
  override response() {
    return new ServiceError("launch_build_failed", this.asText);
  }
}

/** The token of an unsigned launch is on chain already: a restored database does not know it. */
export class AlreadyLaunchedError extends ChainError {
  constructor(readonly token: TokenRef) {
    super("Its token is on chain already");
  }
}

export class LaunchWalletError extends ChainError {}

export class DailyBudgetSpentError extends LaunchWalletError {}

/** The `Retry-After` if the chain gives none. */
const RETRY_AFTER_SECONDS = 5;

type OutageFacts = Pick<ChainUnavailableError, "retryAfterSeconds" | "isOutage">;

/** The cluster cannot be reached or gives no usable answer; nothing is decided. */
export class ChainUnavailableError extends ChainError {
  /** Seconds until the node may be asked again; null if it did not say. */
  readonly retryAfterSeconds: number | null;
  /** Whether nothing that an agent sent can have caused it, so that it affects all launches. */
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

  override response() {
    const retryAfterSeconds = this.retryAfterSeconds ?? RETRY_AFTER_SECONDS;
    return new ServiceError("chain_unavailable", { ...this.asText, retryAfterSeconds });
  }
}

/** The RPC serves another cluster than the database belongs to; the service does not use it. */
export class WrongClusterError extends ChainUnavailableError {
  /** Without `Retry-After`: only the operator can repair it, with a restart. */
  override response() {
    return new ServiceError("wrong_cluster", this.asText);
  }
}

/** A token's accounts on chain differ from what a launch creates. */
export class TokenUnreadableError extends ChainError {}

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

/** The agent's wallet cannot pay: a claim's fees arrive only after it has paid. */
export class UnaffordableError extends SigningError {
  readonly required: bigint;
  readonly balance: bigint;

  constructor(
    kind: SigningKind,
    wallet: string,
    { required, balance }: { readonly required: bigint; readonly balance: bigint },
    cause?: unknown,
  ) {
    super(
      kind,
      `The wallet holds ${formatSol(balance)} SOL, and the ${SIGNED_NAMES[kind]} takes ${formatSol(required)} SOL, with what a wallet must keep: send at least ${formatSol(required - balance)} SOL to ${wallet}, then try again`,
      cause,
    );
    this.required = required;
    this.balance = balance;
  }

  override response() {
    const { required, balance } = this;
    const facts = { requiredSOL: lamportsToSol(required), balanceSOL: lamportsToSol(balance) };
    return new ServiceError(SIGNING_CODES[this.kind].unaffordable, { ...this.asAdvice, facts });
  }
}

export class NotAWalletError extends ChainError {
  constructor(readonly field: string) {
    super("must be the address of a wallet");
  }

  override response() {
    const details = [{ field: this.field, message: this.message }];
    return new ServiceError("validation_failed", { details });
  }
}

/** The transaction cannot be built, or the chain would refuse it: nothing is handed out. */
export class BuildError extends SigningError {
  /** @param advice replaces the advice of the error code */
  constructor(
    kind: SigningKind,
    message: string,
    cause?: unknown,
    private readonly advice?: string,
  ) {
    super(kind, message, cause);
  }

  override response() {
    const { advice } = this;
    const about = { ...this.asText, ...(advice !== undefined && { advice }) };
    return new ServiceError(SIGNING_CODES[this.kind].not_built, about);
  }
}

/** The chain refused what the agent signed. */
export class RefusedError extends SigningError {
  override response() {
    return new ServiceError(SIGNING_CODES[this.kind].refused, this.asText);
  }
}

/** Another claim has taken the fees since this one was built. */
export class FeesTakenError extends RefusedError {
  constructor(message: string, cause?: unknown) {
    super("claim", message, cause);
  }

  override response() {
    return new ServiceError("no_fees_to_claim", this.asAdvice);
  }
}

/** The fees now belong to another wallet: the agent gave away the role or position they follow. */
export class CreatorChangedError extends RefusedError {
  constructor({ bondingCurve, liquidityPool }: CreatorChange, cause?: unknown) {
    const ofCurve = bondingCurve && `The fees of the bonding curve belong to ${bondingCurve} now`;
    const ofPool =
      liquidityPool !== undefined &&
      "The fees of the liquidity pool belong to the holder of the position that this wallet had";
    super("claim", [ofCurve, ofPool].filter(Boolean).join(". "), cause);
  }

  override response() {
    return new ServiceError("creator_changed", this.asAdvice);
  }
}

/** The transaction expired, or no longer fits the chain's state, as the message says. */
export class ExpiredError extends SigningError {
  constructor(kind: SigningKind, reason = "", cause?: unknown) {
    super(kind, reason === "" ? "" : `${reason}: request a new transaction`, cause);
  }

  override response() {
    const about = this.message === "" ? { cause: this } : this.asAdvice;
    return new ServiceError(SIGNING_CODES[this.kind].expired, about);
  }
}

/** The transaction of a launch landed and failed, which cost its agent a fee. */
export class FailedLaunchError extends SigningError {
  /** @param agentLamports what the transaction took from the agent */
  constructor(
    cause: Error,
    readonly agentLamports: bigint,
  ) {
    super("launch", cause.message, cause);
  }
}

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

/** @returns the answer to an error between service and chain; any other error unchanged */
export function toServiceError<Fault>(fault: Fault): ServiceError | Fault {
  return (fault instanceof ChainError && fault.response()) || fault;
}

/** Something that the sandbox cannot do; the message says why and is public. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}
