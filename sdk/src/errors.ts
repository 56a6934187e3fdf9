import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import type { TokenctlErrorCode } from "./error-codes.ts";
import { errorOf, TokenctlError } from "./internal/tokenctl-error.ts";
import type { LaunchStatus } from "./narrowed-answers.ts";

export { TokenctlError };

/** `invalid_argument`: an argument or option is not valid; nothing was sent. */
export class InvalidArgumentError extends errorOf("invalid_argument") {}

/** `signer_failed`: the signer threw, or did not sign what it was given. */
export class SignerError extends errorOf("signer_failed") {}

/** `aborted`: your `AbortSignal` fired. `name` is `AbortError`; `cause` is the signal's reason. */
export class AbortError extends TokenctlError {
  constructor(cause?: unknown) {
    super("aborted", "The call was aborted", { cause });
    // Other code recognizes the platform's own aborts by this name.
    this.name = "AbortError";
  }
}

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
    super("connection_failed", `Cannot reach ${apiUrl}${systemCode ? `: ${systemCode}` : ""}`, {
      cause,
      // Browsers do not tell a page that CORS blocked an answer from another origin.
      hint: "Check that the server is running, that apiUrl is correct, and for a page of another origin that its CORS_ORIGINS has it",
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

/**
 * `timeout`: no answer came in time, or a launch was still pending when `waitForLaunch` gave up.
 *
 * @example
 * import { TimeoutError } from "@tokenctl/sdk";
 *
 * if (error instanceof TimeoutError) console.error(`no answer within ${error.timeoutMs} ms`);
 */
export class TimeoutError extends errorOf<{
  /** How long the client waited, in milliseconds. */
  timeoutMs: number;
  /** Of `waitForLaunch`: the last status that was read, null if none. The launch continues. */
  lastStatus?: LaunchStatus | null;
  eventId?: string;
}>("timeout") {}

/** `webhook_refused`: a message is not signed with the secret, too old, or not from a tokend. */
export class WebhookError extends errorOf("webhook_refused") {}

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
      hint: `Set rpcUrl to a node of the server's cluster that offers ${method}, or omit it`,
      method,
      kind,
    });
  }

  /** Whether the same request would fail like this again. */
  get isPermanent(): boolean {
    return PERMANENT.includes(this.kind);
  }
}
