import { errorCodes } from "@tokenctl/shared/error-codes";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import type { ErrorBody, FieldError, LaunchStatusName } from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import type { ApiErrorCode } from "./error-codes.ts";
import { TokenctlError } from "./errors.ts";

/** The body of an error. The body of a gateway's error has no code. */
export type FailureBody = Omit<ErrorBody, "code"> & Partial<Pick<ErrorBody, "code">>;

/** An answer of the server outside 2xx. */
export interface ApiFailure {
  status: number;
  body: FailureBody;
  /** The answer's `X-Request-Id`, for the server's operator; null if there is none. */
  requestId: string | null;
  /** Seconds that the server asks to wait (`Retry-After`); null if it does not say. */
  retryAfterSeconds: number | null;
  /** Whether a gateway in front of the server answered; its body does not follow the contract. */
  isFromGateway?: boolean;
  /** The wallet that the call was made for, base58; undefined if it needed none. */
  wallet?: string | undefined;
}

/**
 * The server answered with an error. Each subclass stands for a status; the README lists its codes.
 *
 * @example
 * import { ApiError } from "@tokenctl/sdk";
 *
 * if (error instanceof ApiError) {
 *   console.error(`${error.status} ${error.text}, request ${error.requestId ?? "unknown"}`);
 * }
 */
export class ApiError extends TokenctlError {
  /**
   * For example `ticker_taken`; a gateway's error has a code for its status, such as `conflict`.
   */
  declare readonly code: ApiErrorCode;
  /** HTTP status, for example 409. */
  declare readonly status: number;
  /** The answer's `error`, for example `Ticker WIF already exists`. */
  declare readonly text: string;
  /** The invalid fields, and what each must be. */
  declare readonly details: readonly FieldError[];
  /** The answer's `message`, which explains `text`; null if there is none. */
  declare readonly explanation: string | null;
  /** The answer's `X-Request-Id`; null if there is none. */
  declare readonly requestId: string | null;
  /** Seconds that the server asks to wait, for example 30; null if it does not say. */
  declare readonly retryAfterSeconds: number | null;
  /** Whether a gateway answered; the state of the server is then unknown. */
  declare readonly isFromGateway: boolean;

  constructor(
    code: ApiErrorCode,
    { body, isFromGateway = false, wallet: _, ...answer }: ApiFailure,
    hint = body.message,
  ) {
    const { error: text, details = [], message: explanation = null } = body;
    const fields = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
    const words = { hint, text, details, explanation };
    super(code, fields === "" ? text : `${text}: ${fields}`, {
      ...words,
      ...answer,
      isFromGateway,
    });
  }
}

/** 400: the request is not valid. */
export class ValidationError extends ApiError {}

/** 401: the server refused the sign-in. */
export class AuthenticationError extends ApiError {}

/** 403: the service does not let this wallet launch. It can still claim. */
export class ForbiddenError extends ApiError {}

/** 404: what the call names does not exist, or belongs to another agent. */
export class NotFoundError extends ApiError {}

/** 409: the request conflicts with the state of the launch, token or webhook. */
export class ConflictError extends ApiError {}

/**
 * 409 `ticker_taken`: another launch has the ticker. If that launch is the agent's own, the hint
 * says how to continue it.
 *
 * @example
 * import { TickerTakenError } from "@tokenctl/sdk";
 *
 * if (error instanceof TickerTakenError && error.eventId !== null) {
 *   const launch = await client.waitForLaunch(error.eventId); // returns at once if it has ended
 *   if (launch.status === "failed") await client.retryLaunch(error.eventId);
 * }
 */
export class TickerTakenError extends ConflictError {
  /** The launch of this agent that has the ticker; null if it is another agent's. */
  override readonly eventId: string | null;
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
    return `It is your own launch, which is pending: waitForLaunch("${eventId}"), or signLaunch if it waits for agent_signature; cancelLaunch("${eventId}") frees the ticker`;
  }
  if (status === "success") {
    return `It is your own launch, which has made the token: launchStatus("${eventId}")`;
  }
  return `It is your own launch, which ended ${status}: retryLaunch("${eventId}")`;
}

/**
 * 409 `insufficient_sol`: the wallet cannot pay the network fee and rent of a claim. The hint says
 * how much to send to which wallet.
 *
 * @example
 * import { InsufficientSolError } from "@tokenctl/sdk";
 *
 * if (error instanceof InsufficientSolError) {
 *   console.error(`${error.wallet} holds ${error.balanceSOL} SOL and needs ${error.requiredSOL}`);
 * }
 */
export class InsufficientSolError extends ConflictError {
  /** SOL that the wallet needs to hold, for example 0.00204428; null if the server does not say. */
  readonly requiredSOL: number | null;
  /** SOL that the wallet holds, for example 0.001; null if the server does not say. */
  readonly balanceSOL: number | null;
  /** The client's own wallet, base58; never a wallet that the server names. */
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

/** Returns for example `at least 0.002 SOL`, or `SOL` if the amount is not known. */
function missingSol(required: number | null, balance: number | null): string {
  if (required === null || balance === null || required <= balance) return "SOL";
  return `at least ${formatSol(solToLamports(required) - solToLamports(balance))} SOL`;
}

/**
 * 410 `events_gone`: events after the cursor were deleted, or the cursor is beyond the last event.
 *
 * @example
 * import { EventsGoneError } from "@tokenctl/sdk";
 *
 * if (error instanceof EventsGoneError && error.oldestAfter !== null) {
 *   for await (const event of client.events({ after: error.oldestAfter })) console.log(event.type);
 * }
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
 * 429: too many requests or launches. `retryAfterSeconds` says when to try again; the launch limits
 * of an agent and of a network address last until 00:00 UTC.
 */
export class RateLimitError extends ApiError {}

/** 5xx: the server or a gateway failed. */
export class ServerError extends ApiError {}

/** 502: the chain refused the transaction, or the server could not build it. */
export class ChainRefusedError extends ServerError {}

/** 503: the server cannot handle the call now. */
export class ServiceUnavailableError extends ServerError {}
