import type { ErrorBody, FieldError } from "@tokenctl/shared/types";

/** Stable codes of what a caller can do wrong or meet; the errors plugin gives each its status. */
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

/** What only some errors tell, beside what all of them can. */
export type ErrorFacts = Omit<ErrorBody, "error" | "code" | "details" | "message">;

export interface ServiceErrorContext {
  readonly details?: readonly FieldError[];
  /** What to do next, for the caller to read. */
  readonly advice?: string;
  readonly retryAfterSeconds?: number;
  /** The body's `code`: stable and snake_case, for programs. */
  readonly code?: string;
  /** Further fields of the body. */
  readonly facts?: ErrorFacts;
  /** What happened underneath; for logs only. */
  readonly cause?: unknown;
}

/** An answer outside 2xx. `message` is the wire's `error` text, fit for anyone to read. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  // Not `code`: Elysia takes an error's own `code` for the name it was registered under.
  readonly kind: ServiceErrorCode;
  readonly details: readonly FieldError[] | undefined;
  readonly advice: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The body's `code`; not named so, for the same reason. */
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
