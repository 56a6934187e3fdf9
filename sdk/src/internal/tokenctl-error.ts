import type { ClaimReceipt } from "@tokenctl/shared/types";
import type { TokenctlErrorCode } from "../error-codes.ts";
import { plainJson } from "./plain-json.ts";

/** What is neither hint nor cause becomes a field of the error. */
type ErrorContext = { hint?: string | undefined } & Readonly<Record<string, unknown>>;

/**
 * Base class of every error that this package throws. `message` says what happened, `hint` what to do
 * next.
 *
 * @example
 * import { TokenctlError } from "@tokenctl/sdk";
 *
 * if (error instanceof TokenctlError) {
 *   console.error(`${error.code}: ${error.message}. ${error.hint ?? ""}`);
 * }
 */
export class TokenctlError extends Error {
  /** For programs: stable and snake_case, for example `ticker_taken`. */
  readonly code: TokenctlErrorCode;
  /** What to do next, for example `Choose another ticker`; undefined if there is no advice. */
  readonly hint: string | undefined;
  /** The launch that is left behind, about which the hint says more. */
  declare readonly eventId?: string | null;
  /** The claims of open fees that a hand-over made before it failed. They have paid. */
  declare readonly claimed?: readonly ClaimReceipt[];

  constructor(code: TokenctlErrorCode, message: string, context: ErrorContext = {}) {
    const { hint, cause, ...fields } = context;
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
    Object.assign(this, fields);
  }

  /** All that it says, for a log in JSON: without the stack, and with the cause's message alone. */
  toJSON(): object {
    const { message, cause } = this;
    const because = cause instanceof Error ? { cause: cause.message } : {};
    return plainJson({ ...this, message, ...because });
  }
}

type CodedClass<Fields> = new (
  message: string,
  context?: { hint?: string | undefined; cause?: unknown } & Fields,
) => TokenctlError & Readonly<Fields>;

/** Makes the class of a code, whose errors have these fields from their context. */
export function errorOf<Fields extends object = object>(
  code: TokenctlErrorCode,
): CodedClass<Fields> {
  class CodedError extends TokenctlError {
    constructor(message: string, context?: ErrorContext) {
      super(code, message, context);
    }
  }
  return CodedError as unknown as CodedClass<Fields>;
}
