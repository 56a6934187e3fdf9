import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import type { ErrorBody, FieldError } from "@tokenctl/shared/types";
import { TokenctlError } from "./errors.ts";

/** An answer of the server outside 2xx. */
export interface ApiFailure {
  status: number;
  body: ErrorBody;
  /** The answer's `X-Request-Id`: quote it to the server's operator. */
  requestId: string | null;
  /** Seconds that the server asked to wait (`Retry-After`); null where it did not say. */
  retryAfterSeconds: number | null;
  /** The wallet that the call was made for, base58; undefined where it needed none. */
  wallet?: string | undefined;
}

/** The server answered with an error. Its subclasses follow the status. */
export class ApiError extends TokenctlError {
  readonly status: number;
  /** The contract's `error` text, for example `Ticker WIF already exists`. */
  readonly text: string;
  /** The fields that were not as the contract wants them; empty where the server named none. */
  readonly details: readonly FieldError[];
  /** The contract's `message`: what the server adds to its text; null where it adds nothing. */
  readonly explanation: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: string, failure: ApiFailure, hint?: string) {
    const { error, details = [], message } = failure.body;
    const fields = details.map((detail) => `${detail.field}: ${detail.message}`).join("; ");
    super(code, fields === "" ? error : `${error}: ${fields}`, { hint: hint ?? message });
    this.status = failure.status;
    this.text = error;
    this.details = details;
    this.explanation = message ?? null;
    this.requestId = failure.requestId;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }
}

/** 400. Codes `validation_failed`, `claim_mismatch`, `claim_unsigned`, `bad_request`. */
export class ValidationError extends ApiError {}

/** 401: sign-in was refused. Codes `invalid_nonce`, `invalid_signature`, `unauthorized`. */
export class AuthenticationError extends ApiError {}

/** 404: it does not exist, or belongs to another agent. Codes `launch_not_found`, `token_not_found`, `not_found`. */
export class NotFoundError extends ApiError {}

/**
 * 409. Codes `ticker_taken`, `no_fees_to_claim`, `claim_expired`, `idempotency_mismatch`,
 * `not_retryable`, `conflict`, and that of the subclass.
 */
export class ConflictError extends ApiError {}

/**
 * 409: the wallet holds too little SOL for what it asked for, such as the network fee and rent of a
 * claim. Its hint says how much to send to which wallet. Code `insufficient_sol`.
 */
export class InsufficientSolError extends ConflictError {
  /** SOL that the wallet needs to hold, for example `0.00204428`; null where the server did not say. */
  readonly requiredSOL: number | null;
  /** SOL that the wallet holds; null where the server did not say. */
  readonly balanceSOL: number | null;
  /** The wallet to send SOL to, base58: the client's own, whatever the server says. */
  readonly wallet: string | null;

  constructor(code: string, failure: ApiFailure) {
    const { requiredSOL = null, balanceSOL = null } = failure.body;
    const missing = missingSol(requiredSOL, balanceSOL);
    super(code, failure, `Send ${missing} to ${failure.wallet ?? "the wallet"}`);
    this.requiredSOL = requiredSOL;
    this.balanceSOL = balanceSOL;
    this.wallet = failure.wallet ?? null;
  }
}

/** @returns how much is missing, for example `at least 0.002 SOL`; `SOL` where that is not known */
function missingSol(required: number | null, balance: number | null): string {
  if (required === null || balance === null || required <= balance) return "SOL";
  return `at least ${formatSol(solToLamports(required) - solToLamports(balance))} SOL`;
}

/** 429: too many requests; `retryAfterSeconds` says when to come back. Code `too_many_requests`. */
export class RateLimitError extends ApiError {}

/** 5xx. Codes `server_error` and those of the subclasses. */
export class ServerError extends ApiError {}

/** 502: the chain refused the transaction, or it cannot be built. Code `chain_refused`. */
export class ChainRefusedError extends ServerError {}

/** 503: the service or the chain is away, or the queue is full. Code `service_unavailable`. */
export class ServiceUnavailableError extends ServerError {}
