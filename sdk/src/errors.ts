import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import type { ClaimReceipt } from "@tokenctl/shared/types";
import type { TokenctlErrorCode } from "./error-codes.ts";
import { plainJson } from "./internal/plain-json.ts";
import type { LaunchStatus } from "./launch-status.ts";

interface ErrorContext {
  hint?: string | undefined;
  cause?: unknown;
}

/**
 * Base class of every error that this package throws. `message` says what happened, `hint` what to do
 * next.
 *
 * @example
 * ```ts
 * import { TokenctlError } from "@tokenctl/sdk";
 *
 * if (error instanceof TokenctlError) {
 *   console.error(`${error.code}: ${error.message}. ${error.hint ?? ""}`);
 * }
 * ```
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
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
  }

  /** All that it says, for a log in JSON: without the stack, and with the cause's message alone. */
  toJSON(): object {
    const { message, cause } = this;
    const because = cause instanceof Error ? { cause: cause.message } : {};
    return plainJson({ ...this, message, ...because });
  }
}

/** `invalid_argument`: an argument or option is not valid; nothing was sent. */
export class InvalidArgumentError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("invalid_argument", message, context);
  }
}

/** `signer_required`: the call needs a wallet, and the client has none. */
export class SignerRequiredError extends TokenctlError {
  constructor() {
    super("signer_required", "This call needs a wallet, and the client has no signer", {
      hint: "Give the client a signer: new TokenctlClient({ signer: keypairSigner(secretKey) })",
    });
  }
}

/** `signer_failed`: the signer threw, or signed something else than it was given. */
export class SignerError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("signer_failed", message, context);
  }
}

/** What is wrong with a nonce. */
export type NonceProblem = "malformed" | "no host" | "other host";

/**
 * `nonce_refused`: the client did not sign the server's nonce, because the signature could sign the agent
 * in at another server.
 *
 * @example
 * ```ts
 * import { NonceError } from "@tokenctl/sdk";
 *
 * if (error instanceof NonceError && error.problem === "other host") {
 *   console.error(`${error.apiHost} sent a nonce of ${error.nonceHost}`);
 * }
 * ```
 */
export class NonceError extends TokenctlError {
  readonly problem: NonceProblem;
  /** Host of the client's `apiUrl`, for example `tokens.example`. */
  readonly apiHost: string;
  /** The host that the nonce names; null if it names none. */
  readonly nonceHost: string | null;

  constructor(problem: NonceProblem, apiHost: string, nonceHost: string | null) {
    const texts: Record<NonceProblem, [message: string, hint: string]> = {
      malformed: [
        `The nonce of ${apiHost} was not signed: it is not 22 to 200 visible ASCII characters`,
        "Check that apiUrl is the address of a tokend server",
      ],
      "no host": [
        `The nonce of ${apiHost} was not signed: it does not name the server that issued it`,
        "If you trust the server, allow it with allowNonceWithoutHost",
      ],
      "other host": [
        `The server names itself ${nonceHost}, but this client talks to ${apiHost}`,
        `Set apiUrl to ${nonceHost} if you meant that server; otherwise its operator must set PUBLIC_URL`,
      ],
    };
    const [message, hint] = texts[problem];
    super("nonce_refused", message, { hint });
    this.problem = problem;
    this.apiHost = apiHost;
    this.nonceHost = nonceHost;
  }
}

/** `aborted`: your `AbortSignal` fired. `name` is `AbortError`, and `cause` is the signal's reason. */
export class AbortError extends TokenctlError {
  constructor(cause?: unknown) {
    super("aborted", "The call was aborted", { cause });
    // The name by which other code recognizes the platform's own aborts.
    this.name = "AbortError";
  }
}

/** Why there is no connection, by what the code of the system, of OpenSSL or of undici holds. */
const REASONS = {
  REFUSED: "connection refused",
  RESET: "connection reset",
  NOTFOUND: "no such host",
  TIME: "no answer",
  SOCKET: "connection closed",
  "CERT|VERIFY": "its certificate is not trusted",
  "SSL|EPROTO": "it does not speak TLS there",
};

/**
 * `connection_failed`: connection refused or reset, unknown host, or no TLS.
 *
 * @example
 * ```ts
 * import { ConnectionError } from "@tokenctl/sdk";
 *
 * if (error instanceof ConnectionError && error.systemCode === "ECONNREFUSED") {
 *   console.error("Start the server first");
 * }
 * ```
 */
export class ConnectionError extends TokenctlError {
  /** For example `ECONNREFUSED`; null if the runtime does not say, as in browsers. */
  readonly systemCode: string | null;

  constructor(apiUrl: string, cause: unknown) {
    const systemCode = systemCodeOf(cause);
    const known = Object.entries(REASONS).find(([part]) => systemCode?.match(part));
    const why = systemCode === null ? "" : `: ${known?.[1] ?? systemCode}`;
    const advice = "Check that the server is running and that apiUrl is correct";
    super("connection_failed", `Cannot reach ${apiUrl}${why}`, {
      cause,
      hint: isOfOtherPage(apiUrl) ? `${advice}, and that its CORS_ORIGINS has this page` : advice,
    });
    this.systemCode = systemCode;
  }
}

/** @returns the first code among an error and its causes */
function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, cause } = error as Error & { code?: unknown };
  return typeof code === "string" ? code : systemCodeOf(cause);
}

/** Browsers do not say that they refuse an answer to a page of another origin. */
function isOfOtherPage(apiUrl: string): boolean {
  const { location } = globalThis as { location?: { origin?: string } };
  return location?.origin !== undefined && location.origin !== new URL(apiUrl).origin;
}

/**
 * `timeout`: no answer came in time.
 *
 * @example
 * ```ts
 * import { TimeoutError } from "@tokenctl/sdk";
 *
 * if (error instanceof TimeoutError) console.error(`no answer within ${error.timeoutMs} ms`);
 * ```
 */
export class TimeoutError extends TokenctlError {
  /** How long the client waited, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, timeoutMs: number, context: ErrorContext = {}) {
    super("timeout", message, context);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * `timeout`: a launch was still pending when `waitForLaunch` gave up. The launch continues.
 *
 * @example
 * ```ts
 * import { LaunchWaitTimeoutError } from "@tokenctl/sdk";
 *
 * if (error instanceof LaunchWaitTimeoutError) {
 *   await client.waitForLaunch(error.eventId); // this time without a limit
 * }
 * ```
 */
export class LaunchWaitTimeoutError extends TimeoutError {
  override readonly eventId: string;
  /** The last status that was read; null if there was none. */
  readonly lastStatus: LaunchStatus | null;

  constructor(eventId: string, timeoutMs: number, lastStatus: LaunchStatus | null) {
    super(`Launch ${eventId} is still pending after ${timeoutMs / 1000} s`, timeoutMs, {
      hint: "The launch continues: wait again, or read its status later",
    });
    this.eventId = eventId;
    this.lastStatus = lastStatus;
  }
}

const NO_TOKEND =
  "Check that apiUrl is the address of a tokend server, of a version that fits this client";

/**
 * `invalid_response`, `response_too_large` or `response_encoded`: an answer does not follow the API's
 * contract, is longer than 8 MiB, or is compressed.
 *
 * @example
 * ```ts
 * import { InvalidResponseError } from "@tokenctl/sdk";
 *
 * if (error instanceof InvalidResponseError && error.code === "response_too_large") {
 *   await client.tokens({ limit: 1000 }); // page by page
 * }
 * ```
 */
export class InvalidResponseError extends TokenctlError {
  /** HTTP status, for example 200. */
  readonly status: number;
  /** The answer's `X-Request-Id`; null if there is none. */
  readonly requestId: string | null;

  constructor(
    message: string,
    status: number,
    context: { requestId?: string | null; code?: TokenctlErrorCode; hint?: string } = {},
  ) {
    const { requestId = null, code = "invalid_response", hint = NO_TOKEND } = context;
    super(code, message, { hint });
    this.status = status;
    this.requestId = requestId;
  }
}

/** `webhook_refused`: a message to a receiver is not signed with the secret, too old, or no message of a tokend. */
export class WebhookError extends TokenctlError {
  constructor(message: string, cause?: unknown) {
    super("webhook_refused", message, {
      cause,
      hint: "Answer 401",
    });
  }
}

/** After these, the same request to the same node fails again. */
const PERMANENT: readonly RpcErrorKind[] = ["unsupported", "unauthorised", "refused", "garbage"];

/**
 * `rpc_failed`: the Solana node of `rpcUrl` did not answer.
 *
 * @example
 * ```ts
 * import { RpcError } from "@tokenctl/sdk";
 *
 * if (error instanceof RpcError && error.kind === "unsupported") {
 *   console.error(`Set rpcUrl to a node that offers ${error.method}`);
 * }
 * ```
 */
export class RpcError extends TokenctlError {
  /** What was asked, for example `getTransaction`. */
  readonly method: string;
  /** Why there is no result, for example `limited` after too many requests. */
  readonly kind: RpcErrorKind;

  constructor(method: string, origin: string, why: string, kind: RpcErrorKind = "missing") {
    super("rpc_failed", `${method} of ${origin} failed: ${why}`, {
      hint:
        kind === "unsupported"
          ? `Set rpcUrl to a node that offers ${method}`
          : "Check that rpcUrl is a node of the server's cluster, or omit it",
    });
    this.method = method;
    this.kind = kind;
  }

  /** Whether the node would answer the same request like this again. */
  get isPermanent(): boolean {
    return PERMANENT.includes(this.kind);
  }
}
