import type { TokenctlErrorCode } from "./error-codes.ts";
import type { LaunchStatus } from "./launch-status.ts";

/** What an error of this package carries beside its message. */
interface ErrorContext {
  /** What to do next. */
  hint?: string | undefined;
  cause?: unknown;
}

/**
 * Base of every error that this package throws. `code` is stable and meant for programs, `message`
 * says what happened, `hint` says what to do next.
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
  /** Stable and snake_case, for example `ticker_taken`. */
  readonly code: TokenctlErrorCode;
  /** What to do next, for example `Choose another ticker`; undefined if there is nothing to do. */
  readonly hint: string | undefined;

  constructor(code: TokenctlErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
  }
}

/** An argument or option cannot be used as it is; nothing was sent. Code `invalid_argument`. */
export class InvalidArgumentError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("invalid_argument", message, context);
  }
}

/** The call needs a wallet, and the client has none. Code `signer_required`. */
export class SignerRequiredError extends TokenctlError {
  constructor() {
    super("signer_required", "This call needs a wallet and the client was made without one", {
      hint: "Give the client a signer: new TokenctlClient({ signer: keypairSigner(secretKey) })",
    });
  }
}

/** The signer threw, or did not sign what it was given. Code `signer_failed`. */
export class SignerError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("signer_failed", message, context);
  }
}

/** What is wrong with a nonce. */
export type NonceProblem = "malformed" | "no host" | "other host";

/**
 * The server's nonce was not signed, because the signature could sign the agent in at another
 * server. Code `nonce_refused`.
 *
 * @example
 * ```ts
 * import { NonceError } from "@tokenctl/sdk";
 *
 * if (error instanceof NonceError && error.problem === "other host") {
 *   console.error(`${error.apiHost} hands out nonces of ${error.nonceHost}`);
 * }
 * ```
 */
export class NonceError extends TokenctlError {
  /** What is wrong: `malformed`, `no host` or `other host`. */
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
        `The nonce of ${apiHost} was not signed: it does not say which server it is of`,
        "If you trust the server, allow it with allowNonceWithoutHost",
      ],
      "other host": [
        `The server names itself ${nonceHost}, but this client talks to ${apiHost}`,
        `Use apiUrl with ${nonceHost} if you meant that server, or set PUBLIC_URL on this one`,
      ],
    };
    const [message, hint] = texts[problem];
    super("nonce_refused", message, { hint });
    this.problem = problem;
    this.apiHost = apiHost;
    this.nonceHost = nonceHost;
  }
}

/**
 * The caller's `AbortSignal` fired; `name` is `AbortError`, and `cause` is the signal's reason.
 * Code `aborted`.
 */
export class AbortError extends TokenctlError {
  constructor(cause?: unknown) {
    super("aborted", "The call was aborted", { cause });
    // Other code recognizes the platform's own aborts by this name.
    this.name = "AbortError";
  }
}

/** No answer came: connection refused or reset, unknown host, TLS. Code `connection_failed`. */
export class ConnectionError extends TokenctlError {
  constructor(apiUrl: string, cause: unknown) {
    super("connection_failed", `Cannot reach ${apiUrl}`, {
      cause,
      hint: "Check that the server runs and that apiUrl is right",
    });
  }
}

/**
 * No answer came in time. Code `timeout`.
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
 * A launch was still pending when `waitForLaunch` gave up. The launch goes on. Code `timeout`.
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
  readonly eventId: string;
  /** The status that the last poll read; null if none succeeded. */
  readonly lastStatus: LaunchStatus | null;

  constructor(eventId: string, timeoutMs: number, lastStatus: LaunchStatus | null) {
    super(`Launch ${eventId} is still pending after ${timeoutMs / 1000} s`, timeoutMs, {
      hint: "The launch goes on without the caller: wait again, or ask for its status later",
    });
    this.eventId = eventId;
    this.lastStatus = lastStatus;
  }
}

/**
 * An answer does not follow this API's contract, is longer than 8 MiB, or is compressed.
 * Codes `invalid_response`, `response_too_large`, `response_encoded`.
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
    requestId: string | null,
    context: { code?: TokenctlErrorCode; hint?: string } = {},
  ) {
    super(context.code ?? "invalid_response", message, {
      hint:
        context.hint ?? "Check that apiUrl is the address of a tokend server of a matching version",
    });
    this.status = status;
    this.requestId = requestId;
  }
}

/** The Solana node of `rpcUrl` did not answer a read. Code `rpc_failed`. */
export class RpcError extends TokenctlError {
  constructor(method: string, origin: string, why: string) {
    super("rpc_failed", `${method} of ${origin} failed: ${why}`, {
      hint: "Check that rpcUrl is a node of the server's cluster, or leave it out",
    });
  }
}
