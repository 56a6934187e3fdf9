import type { ErrorBody, FieldError, LaunchStatusName } from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import type { ApiErrorCode } from "./error-codes.ts";
import { TokenctlError } from "./errors.ts";

/** The body of an error. The body of a gateway's error has no code. */
export type FailureBody = Omit<ErrorBody, "code"> & Partial<ErrorBody>;

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
  /** The wallet that lacks SOL, base58. */
  wallet?: string | undefined;
}

/**
 * The server answered with an error. Subclasses stand for a status; the README lists their codes.
 *
 * @example
 * import { ApiError } from "@tokenctl/sdk";
 *
 * if (error instanceof ApiError) {
 *   console.error(`${error.status} ${error.text}, request ${error.requestId ?? "unknown"}`);
 * }
 */
export class ApiError extends TokenctlError {
  /** For example `ticker_taken`; `api_error` if the answer has none, such as a gateway's. */
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
  /** With `ticker_taken`: the status of the agent's own launch that has the ticker, `eventId`. */
  declare readonly launchStatus?: LaunchStatusName;
  /** SOL that the wallet needs to hold, if it holds too little, for example 0.00204428. */
  declare readonly requiredSOL?: number;
  /** SOL that the wallet holds, for example 0.001. */
  declare readonly balanceSOL?: number;
  /** The client's own wallet if it holds too little, base58; never one that the server names. */
  declare readonly wallet?: string;
  /** With `events_gone`: the oldest cursor that can be read from, for example 120. */
  declare readonly oldestAfter?: number;

  constructor(
    code: ApiErrorCode,
    { body, isFromGateway = false, ...answer }: ApiFailure,
    hint = body.message,
  ) {
    const { error: text, details = [], message: explanation = null } = body;
    const { requiredSOL, balanceSOL, oldestAfter } = body;
    const fields = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
    super(code, fields === "" ? text : `${text}: ${fields}`, {
      ...answer,
      hint,
      text,
      details,
      explanation,
      isFromGateway,
      ...(requiredSOL !== undefined && { requiredSOL }),
      ...(balanceSOL !== undefined && { balanceSOL }),
      ...(oldestAfter !== undefined && { oldestAfter }),
      ...(code === "ticker_taken" && ownLaunch(body)),
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

/** 429: too many requests or launches. `retryAfterSeconds` says when to try again. */
export class RateLimitError extends ApiError {}

/** 503: the server cannot handle the call now. */
export class ServiceUnavailableError extends ApiError {}

/** Returns the agent's own launch that has the ticker, if an answer names one. */
export function ownLaunch({ eventId = "", status }: FailureBody) {
  return isUuid(eventId) && status !== undefined ? { eventId, launchStatus: status } : null;
}
