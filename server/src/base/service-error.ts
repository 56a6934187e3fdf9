import { type ErrorCode, errorCodes, type VaryingErrorCode } from "@tokenctl/shared/error-codes";
import type { ErrorBody, FieldError } from "@tokenctl/shared/types";

export type ErrorFacts = Omit<ErrorBody, "error" | "code" | "details" | "message">;

export interface ServiceErrorContext {
  readonly details?: readonly FieldError[];
  /** The body's `message`: what the caller can do next. */
  readonly advice?: string;
  readonly retryAfterSeconds?: number;
  readonly facts?: ErrorFacts;
  readonly cause?: unknown;
}

interface VaryingErrorContext extends ServiceErrorContext {
  /** The body's `error`: safe for anyone to read. */
  readonly text: string;
}

/** An answer outside 2xx, with a code from the table in `shared/`. `message` is public. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  // Not named `code`, which Elysia would use as the error's registered name.
  readonly wireCode: ErrorCode;
  readonly details: readonly FieldError[] | undefined;
  readonly advice: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly facts: ErrorFacts | undefined;

  constructor(code: Exclude<ErrorCode, VaryingErrorCode>, context?: ServiceErrorContext);
  constructor(code: VaryingErrorCode, context: VaryingErrorContext);
  constructor(code: ErrorCode, context: Partial<VaryingErrorContext> = {}) {
    super(context.text ?? errorCodes[code].text, { cause: context.cause });
    this.wireCode = code;
    this.details = context.details;
    this.advice = context.advice;
    this.retryAfterSeconds = context.retryAfterSeconds;
    this.facts = context.facts;
  }
}
