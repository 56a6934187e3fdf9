import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import type { TokenctlErrorCode } from "./error-codes.ts";
import { errorOf, TokenctlError } from "./internal/tokenctl-error.ts";
import type { LaunchStatus } from "./narrowed-answers.ts";

export { TokenctlError };

/** `invalid_argument`: an argument or option is not valid; nothing was sent. */
export class InvalidArgumentError extends errorOf("invalid_argument") {}

/** `signer_required`: the call needs a wallet, and the client has none. */
export class SignerRequiredError extends TokenctlError {
  constructor() {
    super("signer_required", "This call needs a wallet, and the client has no signer", {
      hint: "Give the client a signer: new TokenctlClient({ signer: keypairSigner(secretKey) })",
    });
  }
}

/** `signer_failed`: the signer threw, or did not sign what it was given. */
export class SignerError extends errorOf("signer_failed") {}

/** What is wrong with a nonce. */
export type NonceProblem = "malformed" | "no host" | "other host";

/**
 * `nonce_refused`: the client did not sign the server's nonce, because the signature could also
 * sign the agent in at another server.
 *
 * @example
 * import { NonceError } from "@tokenctl/sdk";
 *
 * if (error instanceof NonceError && error.problem === "other host") {
 *   console.error(`${error.apiHost} sent a nonce of ${error.nonceHost}`);
 * }
 */
export class NonceError extends errorOf<{
  problem: NonceProblem;
  /** Host of the client's `apiUrl`, for example `tokens.example`. */
  apiHost: string;
  /** The host that the nonce names; null if it names none. */
  nonceHost: string | null;
}>("nonce_refused") {}

/** `aborted`: your `AbortSignal` fired. `name` is `AbortError`; `cause` is the signal's reason. */
export class AbortError extends TokenctlError {
  constructor(cause?: unknown) {
    super("aborted", "The call was aborted", { cause });
    // Other code recognizes the platform's own aborts by this name.
    this.name = "AbortError";
  }
}

/** Reasons for a failed connection, by a part of the code from the system, OpenSSL or undici. */
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
 * import { ConnectionError } from "@tokenctl/sdk";
 *
 * if (error instanceof ConnectionError && error.systemCode === "ECONNREFUSED") {
 *   console.error("Start the server first");
 * }
 */
export class ConnectionError extends TokenctlError {
  /** For example `ECONNREFUSED`; null if the runtime does not say, as in browsers. */
  declare readonly systemCode: string | null;

  constructor(apiUrl: string, cause: unknown) {
    const systemCode = systemCodeOf(cause);
    const known = Object.entries(REASONS).find(([part]) => systemCode?.match(part));
    const why = systemCode === null ? "" : `: ${known?.[1] ?? systemCode}`;
    const advice = "Check that the server is running and that apiUrl is correct";
    super("connection_failed", `Cannot reach ${apiUrl}${why}`, {
      cause,
      hint: isOfOtherPage(apiUrl) ? `${advice}, and that its CORS_ORIGINS has this page` : advice,
      systemCode,
    });
  }
}

/** Returns the first code in an error's chain of causes, or null. */
function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, cause } = error as Error & { code?: unknown };
  return typeof code === "string" ? code : systemCodeOf(cause);
}

/** Browsers do not tell a page that CORS blocked an answer from another origin. */
function isOfOtherPage(apiUrl: string): boolean {
  const { location } = globalThis as { location?: { origin?: string } };
  return location?.origin !== undefined && location.origin !== new URL(apiUrl).origin;
}

/**
 * `timeout`: no answer came in time.
 *
 * @example
 * import { TimeoutError } from "@tokenctl/sdk";
 *
 * if (error instanceof TimeoutError) console.error(`no answer within ${error.timeoutMs} ms`);
 */
export class TimeoutError extends errorOf<{
  /** How long the client waited, in milliseconds. */
  timeoutMs: number;
}>("timeout") {}

/**
 * `timeout`: a launch was still pending when `waitForLaunch` gave up. The launch continues.
 *
 * @example
 * import { LaunchWaitTimeoutError } from "@tokenctl/sdk";
 *
 * if (error instanceof LaunchWaitTimeoutError) {
 *   await client.waitForLaunch(error.eventId); // this time without a limit
 * }
 */
export class LaunchWaitTimeoutError extends TimeoutError {
  declare readonly eventId: string;
  /** The last status that was read; null if there was none. */
  declare readonly lastStatus: LaunchStatus | null;

  constructor(timeoutMs: number, left: Pick<LaunchWaitTimeoutError, "eventId" | "lastStatus">) {
    const hint = "The launch continues: wait again, or read its status later";
    const message = `Launch ${left.eventId} is still pending after ${timeoutMs / 1000} s`;
    super(message, { timeoutMs, hint, ...left });
  }
}

const NO_TOKEND =
  "Check that apiUrl is the address of a tokend server, of a version that fits this client";

/**
 * `invalid_response`, `response_too_large` or `response_encoded`: an answer does not follow the
 * API's contract, is longer than 8 MiB, or is compressed.
 *
 * @example
 * import { InvalidResponseError } from "@tokenctl/sdk";
 *
 * if (error instanceof InvalidResponseError && error.code === "response_too_large") {
 *   await client.tokens({ limit: 1000 }); // page by page
 * }
 */
export class InvalidResponseError extends TokenctlError {
  /** HTTP status, for example 200. */
  declare readonly status: number;
  /** The answer's `X-Request-Id`; null if there is none. */
  declare readonly requestId: string | null;

  constructor(
    message: string,
    status: number,
    context: { requestId?: string | null; code?: TokenctlErrorCode; hint?: string } = {},
  ) {
    const { requestId = null, code = "invalid_response", hint = NO_TOKEND } = context;
    super(code, message, { hint, status, requestId });
  }
}

/** `webhook_refused`: a message is not signed with the secret, too old, or not from a tokend. */
export class WebhookError extends errorOf("webhook_refused") {}

/** After these errors, the same request to the same node fails again. */
const PERMANENT: readonly RpcErrorKind[] = ["unsupported", "unauthorised", "refused", "garbage"];

/**
 * `rpc_failed`: the Solana node of `rpcUrl` did not answer.
 *
 * @example
 * import { RpcError } from "@tokenctl/sdk";
 *
 * if (error instanceof RpcError && error.kind === "unsupported") {
 *   console.error(`Set rpcUrl to a node that offers ${error.method}`);
 * }
 */
export class RpcError extends TokenctlError {
  /** The method that was called, for example `getTransaction`. */
  declare readonly method: string;
  /** Why there is no result, for example `limited` after too many requests. */
  declare readonly kind: RpcErrorKind;

  constructor(method: string, origin: string, why: string, kind: RpcErrorKind = "missing") {
    super("rpc_failed", `${method} of ${origin} failed: ${why}`, {
      hint:
        kind === "unsupported"
          ? `Set rpcUrl to a node that offers ${method}`
          : "Check that rpcUrl is a node of the server's cluster, or omit it",
      method,
      kind,
    });
  }

  /** Whether the same request would fail like this again. */
  get isPermanent(): boolean {
    return PERMANENT.includes(this.kind);
  }
}
