import type { LaunchStatus } from "@tokenctl/shared/types";

/** What every error of this package carries beside its message. */
interface ErrorContext {
  /** What to do next. */
  hint?: string | undefined;
  cause?: unknown;
}

/**
 * Base of every error that this package throws. `code` is stable and meant for programs, `message`
 * says what happened, `hint` what to do next.
 */
export class TokenctlError extends Error {
  /** Stable and snake_case, for example `ticker_taken`. */
  readonly code: string;
  /** What to do next, where there is something to do. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, context: ErrorContext = {}) {
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

/** The call needs a wallet and the client has none. Code `signer_required`. */
export class SignerRequiredError extends TokenctlError {
  constructor() {
    super("signer_required", "This call needs a wallet and the client was made without one", {
      hint: "Give the client a signer: new TokenctlClient({ signer: keypairSigner(secretKey) })",
    });
  }
}

/** The signer threw, or returned something other than what it was asked to sign. Code `signer_failed`. */
export class SignerError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("signer_failed", message, context);
  }
}

/** What is wrong with a nonce. */
export type NonceProblem = "malformed" | "no host" | "other host";

/**
 * The server's nonce was not signed: the signature could sign the agent in at another server.
 * Code `nonce_refused`.
 */
export class NonceError extends TokenctlError {
  readonly problem: NonceProblem;
  /** Host of the client's `apiUrl`. */
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

/** The caller's `AbortSignal` fired. Code `aborted`; `name` is `AbortError`; `cause` is the signal's reason. */
export class AbortError extends TokenctlError {
  constructor(cause?: unknown) {
    super("aborted", "The call was aborted", { cause });
    // Code that knows the platform's own aborts tells them by this name.
    this.name = "AbortError";
  }
}

/** No answer came: refused, reset, unknown host, TLS. Code `connection_failed`. */
export class ConnectionError extends TokenctlError {
  constructor(apiUrl: string, cause: unknown) {
    super("connection_failed", `Cannot reach ${apiUrl}`, {
      cause,
      hint: "Check that the server runs and that apiUrl is right",
    });
  }
}

/** No answer came in time. Code `timeout`. */
export class TimeoutError extends TokenctlError {
  /** How long was waited, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, timeoutMs: number, context: ErrorContext = {}) {
    super("timeout", message, context);
    this.timeoutMs = timeoutMs;
  }
}

/** A launch was still pending when `waitForLaunch` gave up. It goes on; ask again. Code `timeout`. */
export class LaunchWaitTimeoutError extends TimeoutError {
  readonly eventId: string;
  /** What the last poll saw. */
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
 * An answer came that is not of this API's contract. Code `invalid_response`; `response_too_large`
 * for one of more than 8 MiB, `response_encoded` for a compressed one.
 */
export class InvalidResponseError extends TokenctlError {
  readonly status: number;
  readonly requestId: string | null;

  constructor(
    message: string,
    status: number,
    requestId: string | null,
    context: { code?: string; hint?: string } = {},
  ) {
    super(context.code ?? "invalid_response", message, {
      hint:
        context.hint ?? "Check that apiUrl is the address of a tokend server of a matching version",
    });
    this.status = status;
    this.requestId = requestId;
  }
}

/** The Solana node of `rpcUrl` did not say what was asked. Code `rpc_failed`. */
export class RpcError extends TokenctlError {
  constructor(method: string, origin: string, why: string) {
    super("rpc_failed", `${method} of ${origin} failed: ${why}`, {
      hint: "Check that rpcUrl is a node of the server's cluster, or leave it out",
    });
  }
}
