import { errorCodes } from "@tokenctl/shared/error-codes";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import type { ErrorBody, FieldError, LaunchStatusName } from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import type { ApiErrorCode } from "./error-codes.ts";
import { TokenctlError } from "./errors.ts";

/** The body of an error. A gateway in front of the server sends no code. */
export type FailureBody = Omit<ErrorBody, "code"> & Partial<Pick<ErrorBody, "code">>;

/** An answer of the server outside 2xx. */
export interface ApiFailure {
  status: number;
  body: FailureBody;
  /** The answer's `X-Request-Id`: quote it to the server's operator. Null if there is none. */
  requestId: string | null;
  /** Seconds that the server asks to wait (`Retry-After`); null if it does not say. */
  retryAfterSeconds: number | null;
  /** Whether the answer lacks the contract's error body: a gateway in front of the server sent it. */
  isFromGateway?: boolean;
  /** The wallet that the call was made for, base58; undefined if it needed none. */
  wallet?: string | undefined;
}

/**
 * The server answered with an error; each subclass stands for a status.
 *
 * `code` is the server's own. If an answer has none, because the server is older or a gateway
 * answered, `code` follows from the status alone. Codes `method_not_allowed`, `body_too_late`,
 * `body_too_large`, `unsupported_media_type`, `foreign_host`, by status alone `api_error` and `redirected`, and
 * those of the subclasses.
 *
 * @example
 * ```ts
 * import { ApiError } from "@tokenctl/sdk";
 *
 * if (error instanceof ApiError) {
 *   console.error(`${error.status} ${error.text}, request ${error.requestId ?? "unknown"}`);
 * }
 * ```
 */
export class ApiError extends TokenctlError {
  /** The server's own, for example `ticker_taken`, or by the status alone, for example `conflict`. */
  declare readonly code: ApiErrorCode;
  /** HTTP status, for example 409. */
  readonly status: number;
  /** The contract's `error` text, for example `Ticker WIF already exists`. */
  readonly text: string;
  /** The invalid fields, with what each must be; empty if the server named none. */
  readonly details: readonly FieldError[];
  /** The contract's `message`, which explains the text; null if there is none. */
  readonly explanation: string | null;
  /** The answer's `X-Request-Id`; null if there is none. */
  readonly requestId: string | null;
  /** Seconds that the server asks to wait, for example 30; null if it does not say. */
  readonly retryAfterSeconds: number | null;
  /** Whether a gateway in front of the server answered, so that the server's state is unknown. */
  readonly isFromGateway: boolean;

  constructor(code: ApiErrorCode, failure: ApiFailure, hint?: string) {
    const { error, details = [], message } = failure.body;
    const fields = details.map((detail) => `${detail.field}: ${detail.message}`).join("; ");
    super(code, fields === "" ? error : `${error}: ${fields}`, { hint: hint ?? message });
    this.status = failure.status;
    this.text = error;
    this.details = details;
    this.explanation = message ?? null;
    this.requestId = failure.requestId;
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.isFromGateway = failure.isFromGateway ?? false;
  }
}

/**
 * 400: the server does not accept the request as it is. Codes `validation_failed`,
 * `claim_mismatch`, `claim_unsigned`, `mint_required`, `ambiguous_host`, `image_refused`, by status
 * alone `bad_request`.
 */
export class ValidationError extends ApiError {}

/**
 * 401: sign-in was refused. Codes `invalid_nonce`, `invalid_signature`, `invalid_token`,
 * `missing_authorization`, by status alone `unauthorized`.
 */
export class AuthenticationError extends ApiError {}

/**
 * 403: the service does not let this wallet launch. Its fees stay its own: it can claim.
 *
 * Codes `wallet_blocked`, `invite_required`, `invite_invalid`, `not_on_allowlist`,
 * `agent_balance_low`, by status alone `forbidden`.
 */
export class ForbiddenError extends ApiError {}

/**
 * 404: it does not exist, or belongs to another agent. Codes `launch_not_found`, `token_not_found`,
 * `image_not_found`, `webhook_not_found`, `not_found`.
 */
export class NotFoundError extends ApiError {}

/**
 * 409: the request does not fit the state of the launch or the token. Codes `no_fees_to_claim`,
 * `creator_changed`, `claim_expired`, `not_retryable`, `not_cancellable`, `idempotency_mismatch`, `sandbox_refused`,
 * `webhook_exists`, `webhook_limit`, `webhook_disabled`, by status alone `conflict`, and those of the
 * subclasses.
 */
export class ConflictError extends ApiError {}

/**
 * 409: another launch has the ticker. If it is the agent's own, `eventId` and `launchStatus` name it, and
 * the hint says what to do with it. Code `ticker_taken`.
 *
 * @example
 * ```ts
 * import { TickerTakenError } from "@tokenctl/sdk";
 *
 * if (error instanceof TickerTakenError && error.eventId !== null) {
 *   const launch = await client.waitForLaunch(error.eventId); // returns at once if it has ended
 *   if (launch.status === "failed") await client.retryLaunch(error.eventId);
 * }
 * ```
 */
export class TickerTakenError extends ConflictError {
  /** The launch of this agent that has the ticker; null if it is another agent's. */
  readonly eventId: string | null;
  /** That launch's status; null if it is another agent's. */
  readonly launchStatus: LaunchStatusName | null;

  constructor(code: ApiErrorCode, failure: ApiFailure) {
    const { eventId = "", status } = failure.body;
    const own = isUuid(eventId) && status !== undefined ? { eventId, status } : null;
    super(code, failure, own ? ownLaunchHint(own) : errorCodes.ticker_taken.next);
    this.eventId = own?.eventId ?? null;
    this.launchStatus = own?.status ?? null;
  }
}

function ownLaunchHint({ eventId, status }: { eventId: string; status: LaunchStatusName }): string {
  if (status === "pending") {
    return `It is your own launch, which is pending: waitForLaunch("${eventId}")`;
  }
  if (status === "success") {
    return `It is your own launch, which has made the token: launchStatus("${eventId}")`;
  }
  return `It is your own launch, which ended ${status}: retryLaunch("${eventId}")`;
}

/**
 * 409: the wallet holds too little SOL for the network fee and rent of a claim. The hint says how
 * much to send to which wallet. Code `insufficient_sol`.
 *
 * @example
 * ```ts
 * import { InsufficientSolError } from "@tokenctl/sdk";
 *
 * if (error instanceof InsufficientSolError) {
 *   console.error(`${error.wallet} holds ${error.balanceSOL} SOL and needs ${error.requiredSOL}`);
 * }
 * ```
 */
export class InsufficientSolError extends ConflictError {
  /** SOL that the wallet needs to hold, for example 0.00204428; null if the server does not say. */
  readonly requiredSOL: number | null;
  /** SOL that the wallet holds, for example 0.001; null if the server does not say. */
  readonly balanceSOL: number | null;
  /**
   * The wallet to send SOL to, base58: always the client's own, never one that the server names.
   */
  readonly wallet: string | null;

  constructor(code: ApiErrorCode, failure: ApiFailure) {
    const { requiredSOL = null, balanceSOL = null } = failure.body;
    const missing = missingSol(requiredSOL, balanceSOL);
    super(code, failure, `Send ${missing} to ${failure.wallet ?? "the wallet"}`);
    this.requiredSOL = requiredSOL;
    this.balanceSOL = balanceSOL;
    this.wallet = failure.wallet ?? null;
  }
}

/** @returns how much is missing, for example `at least 0.002 SOL`; `SOL` if that is not known */
function missingSol(required: number | null, balance: number | null): string {
  if (required === null || balance === null || required <= balance) return "SOL";
  return `at least ${formatSol(solToLamports(required) - solToLamports(balance))} SOL`;
}

/**
 * 410: events after the cursor have been deleted, or the cursor is beyond the newest event.
 * Code `events_gone`.
 *
 * @example
 * ```ts
 * import { EventsGoneError } from "@tokenctl/sdk";
 *
 * if (error instanceof EventsGoneError && error.oldestAfter !== null) {
 *   for await (const event of client.events({ after: error.oldestAfter })) console.log(event.type);
 * }
 * ```
 */
export class EventsGoneError extends ApiError {
  /** The oldest cursor that can be read from, for example 120; null if the server does not say. */
  readonly oldestAfter: number | null;

  constructor(code: ApiErrorCode, failure: ApiFailure, hint?: string) {
    super(code, failure, hint);
    this.oldestAfter = failure.body.oldestAfter ?? null;
  }
}

/**
 * 429: too many requests, or too many launches; `retryAfterSeconds` says when to try again.
 *
 * Codes `too_many_requests`, `agent_launch_limit`, `address_launch_limit`, `share_used`,
 * `launch_rate_limit`, `agent_image_limit`, `too_many_streams`, `webhook_queue_full`.
 * The agent's and the address's launch limits last until 00:00 UTC; for a
 * share the message says what it is a share of.
 */
export class RateLimitError extends ApiError {}

/**
 * 5xx: the server or a gateway failed. Codes `internal_error`, `register_failed`, by status alone
 * `server_error` and `bad_gateway`, and those of the subclasses.
 */
export class ServerError extends ApiError {}

/**
 * 502: the chain refused the transaction, or it cannot be built. Codes `claim_refused`,
 * `claim_build_failed`, by status alone `chain_refused`.
 */
export class ChainRefusedError extends ServerError {}

/**
 * 503: the server cannot do it now.
 *
 * Codes `chain_unavailable` (the chain is away), `database_unavailable` (the service's database
 * does not answer), `queue_full` (no more launches can wait),
 * `paused` (the operator has paused it; the text says why), `daily_budget_spent` (launches go on at 00:00 UTC), `wrong_cluster` (the server's operator has to
 * correct its settings), `image_space_full` and `uploads_busy` (the server takes no more images now),
 * `claim_unsettled` (a submitted claim's outcome is not known yet),
 * `streams_full` (too many agents wait for events),
 * `starting` (the server has just been started), `unhealthy` (the health endpoint's, which is returned
 * and not thrown), by status alone `service_unavailable`.
 */
export class ServiceUnavailableError extends ServerError {}
