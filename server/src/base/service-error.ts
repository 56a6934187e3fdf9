import type { ErrorBody, FieldError } from "@tokenctl/shared/types";

/** The kinds of error answers; the errors plugin maps each to its HTTP status. */
export type ServiceErrorCode =
  | "bad_request"
  | "unauthorized"
  | "not_found"
  | "method_not_allowed"
  | "body_too_late"
  | "conflict"
  | "body_too_large"
  | "unsupported_media_type"
  | "too_many_requests"
  | "internal"
  | "chain_refused"
  | "unavailable";

/** Fields of the body that only some errors have. */
export type ErrorFacts = Omit<ErrorBody, "error" | "code" | "details" | "message">;

export interface ServiceErrorContext {
  readonly details?: readonly FieldError[];
  /** What the caller can do next: the body's `message`. */
  readonly advice?: string;
  readonly retryAfterSeconds?: number;
  /** The body's `code`, for programs: stable and snake_case. */
  readonly code?: string;
  /** Further fields of the body. */
  readonly facts?: ErrorFacts;
  /** The underlying error; for logs only. */
  readonly cause?: unknown;
}

/** An answer outside 2xx. `message` is the body's `error` text, safe for anyone to read. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  // Not named `code`: Elysia would take it for the name under which the error is registered.
  readonly kind: ServiceErrorCode;
  readonly details: readonly FieldError[] | undefined;
  readonly advice: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The body's `code`; not named `code` for the same reason. */
  readonly wireCode: string | undefined;
  readonly facts: ErrorFacts | undefined;

  constructor(kind: ServiceErrorCode, message: string, context: ServiceErrorContext = {}) {
    super(message, { cause: context.cause });
    this.kind = kind;
    this.details = context.details;
    this.advice = context.advice;
    this.retryAfterSeconds = context.retryAfterSeconds;
    this.wireCode = context.code;
    this.facts = context.facts;
  }
}
