import type { ClaimReceipt } from "@tokenctl/shared/types";
import type { TokenctlErrorCode } from "../error-codes.ts";

/** Everything except `hint` and `cause` becomes a field of the error. */
type ErrorContext = { hint?: string | undefined } & Readonly<Record<string, unknown>>;

/**
 * The base class of this package's errors. `message` says what happened, `hint` what to do next.
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
  /** The launch that the call leaves behind; the hint says what to do with it. */
  declare readonly eventId?: string;
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

  /** Returns all fields for a JSON log, without the stack; of the cause only the message. */
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

/** Makes the error class of a code. Its errors have these fields. */
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

/** Returns the value as plain JSON, with bigints as text in digits, because JSON has no bigint. */
export function plainJson(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)),
  );
}

/** Returns a copy that `JSON.stringify` can write although its amounts are bigints. */
export function withJson<T extends object>(value: T): T {
  return Object.defineProperty({ ...value }, "toJSON", { value: () => plainJson({ ...value }) });
}
