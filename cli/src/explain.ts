import type { FieldError, LaunchStatusName } from "@tokenctl/sdk";
import {
  ApiError,
  ClaimUnsettledError,
  InsufficientSolError,
  InvalidResponseError,
  NonceError,
  NotApprovedError,
  TickerTakenError,
  TokenctlError,
} from "@tokenctl/sdk";
import { solText } from "./amount.ts";
import { CliError, type ExitCode, exitCodes, StoppedWaitingError, systemCode } from "./errors.ts";
import { hintOf } from "./hints.ts";
import { aboutOwnLaunch } from "./next-steps.ts";
import { waitText } from "./waiting.ts";

/** An error as its reader gets it: what happened, what to do next, and the exit code. */
export interface Explanation {
  readonly error: string;
  /** Stable and snake_case. */
  readonly code: string;
  readonly hint?: string | undefined;
  /** The fields that the server refused. */
  readonly details?: readonly FieldError[];
  /** The server's id of the request, for its operator. */
  readonly requestId?: string;
  /** The launch that the error is about. */
  readonly eventId?: string;
  /** With `ticker_taken`, if the launch is the wallet's own: its status. */
  readonly launchStatus?: LaunchStatusName;
  /** With `insufficient_sol`: the wallet to send SOL to, what it needs to hold and what it holds. */
  readonly wallet?: string | null;
  readonly requiredSOL?: number | null;
  readonly balanceSOL?: number | null;
  readonly exitCode: ExitCode;
}

const NO_TOKEND =
  "The answer is not of a tokend server: check --api-url, also whether it is http or https";
/** The codes of a fault of the server. */
export const serverFaults: readonly string[] = [
  "internal_error",
  "register_failed",
  "server_error",
];
/** For these the server's own advice is for programmers, as the SDK's hints are. */
const ownAdvice: readonly string[] = [...serverFaults, "claim_mismatch", "claim_unsigned"];
/** For these the server says what it refused, and the hint says what to do about it. */
const addedHints: readonly string[] = ["wrong_cluster", "method_not_allowed"];
/** For these the server's own advice does not say how long to wait. */
const launchLimits: readonly string[] = [
  "agent_launch_limit",
  "address_launch_limit",
  "share_used",
  "daily_budget_spent",
  "launch_rate_limit",
  "paused",
];

/**
 * @param apiUrl the address that --api-url or a setting gives, if any
 * @returns what to print for an error, and its exit code. Every error passes through here
 */
export function explain(error: unknown, apiUrl?: string): Explanation {
  if (error instanceof StoppedWaitingError) return explainStopped(error, apiUrl);
  if (error instanceof ClaimUnsettledError) return explainUnsettled(error, apiUrl);
  if (error instanceof InsufficientSolError) return explainInsufficient(error);
  if (error instanceof TickerTakenError) return explainTicker(error);
  if (error instanceof ApiError) {
    const explained = explainAnswer(error);
    const hint = hintAboutUrl(error, apiUrl);
    return hint === null ? explained : { ...explained, hint };
  }
  if (error instanceof NonceError) return explainNonce(error);
  // What the command's own checks of a claim threw.
  if (error instanceof NotApprovedError) return explain(error.cause, apiUrl);
  if (error instanceof TokenctlError) {
    const { code, message, hint } = error;
    const problem = connectionProblem(error);
    return {
      error: code === "aborted" ? "Interrupted" : `${message}${problem ? `: ${problem.why}` : ""}`,
      code,
      hint: problem?.hint ?? shapeHint(error) ?? hintOf(code) ?? hint,
      exitCode: exitCodeOf(error),
    };
  }
  if (error instanceof CliError) {
    const { message, code, hint, exitCode } = error;
    return { error: message, code, hint, exitCode };
  }
  return {
    error: `Something unexpected went wrong: ${error instanceof Error ? error.message : error}`,
    code: "unexpected",
    hint: "This is a bug in tokenctl. Run it again with TOKENCTL_DEBUG=1 and report what it shows",
    exitCode: exitCodes.failed,
  };
}

/** The launch goes on without the CLI, so the hint says how to come back to it. */
function explainStopped({ cause, eventId }: StoppedWaitingError, apiUrl?: string): Explanation {
  const why = explain(cause, apiUrl);
  const error =
    why.exitCode === exitCodes.interrupted
      ? "Interrupted while waiting; the launch goes on"
      : `${why.error}. The launch is accepted and goes on`;
  return {
    ...why,
    error,
    hint: `Come back to it with \`tokenctl status ${eventId} --wait\``,
    eventId,
  };
}

/** Counts as a refused sign-in: here the client is the one that refuses. */
function explainNonce({ message, code, problem, nonceHost }: NonceError): Explanation {
  const advice: Readonly<Record<typeof problem, string>> = {
    malformed: "Check that --api-url is the address of a tokend server",
    "no host": "If you trust the server, sign in with --allow-nonce-without-host",
    "other host": `Give --api-url ${nonceHost} if you meant that server; otherwise its operator must set PUBLIC_URL`,
  };
  return { error: message, code, hint: advice[problem], exitCode: exitCodes.signInRefused };
}

/** The CLI keeps no signed claim, so the hint is to make a new one. */
function explainUnsettled(
  { cause, code, tokenMint }: ClaimUnsettledError,
  apiUrl?: string,
): Explanation {
  const why = explain(cause, apiUrl);
  return {
    ...why,
    error: `It is not known whether the claim was paid: ${why.error}`,
    code,
    hint: `Once \`tokenctl health\` says ok, run \`tokenctl claim ${tokenMint}\` again: it cannot pay twice, as fees are paid once`,
  };
}

/** The missing amount follows from the server's figures, the wallet from the keypair. */
function explainInsufficient(error: InsufficientSolError): Explanation {
  const { requiredSOL, balanceSOL, wallet } = error;
  const figures =
    requiredSOL === null || balanceSOL === null
      ? ""
      : `: it needs ${solText(requiredSOL)} and holds ${solText(balanceSOL)}`;
  return {
    ...explainAnswer(error),
    error: error.text + figures,
    hint: `${error.hint}; on a sandbox, \`tokenctl dev airdrop\` does that`,
    wallet,
    requiredSOL,
    balanceSOL,
  };
}

/** A launch of the wallet's own is to be waited for or retried, not to be named otherwise. */
function explainTicker(error: TickerTakenError): Explanation {
  const { eventId, launchStatus } = error;
  const explained = explainAnswer(error);
  if (eventId === null || launchStatus === null) return explained;
  const hint = aboutOwnLaunch({ eventId, status: launchStatus });
  return { ...explained, hint, eventId, launchStatus };
}

function explainAnswer(error: ApiError): Explanation {
  return {
    error: error.text || `The server answered ${error.status} and did not say why`,
    code: error.code,
    hint: hintFor(error),
    ...(error.details.length > 0 && { details: error.details }),
    ...(error.requestId !== null && { requestId: error.requestId }),
    exitCode: exitCodeOf(error),
  };
}

/** The server's own advice comes first, for it knows more; then the CLI's and the contract's, then the SDK's. */
function hintFor({ code, explanation, hint, retryAfterSeconds }: ApiError): string | undefined {
  const advice = ownAdvice.includes(code) ? null : explanation;
  const chosen = advice ?? hintOf(code) ?? hint;
  if (advice !== null && addedHints.includes(code)) return `${sentence(advice)}. ${hintOf(code)}`;
  if (chosen === undefined || retryAfterSeconds === null) return chosen;
  const inWords = chosen.replace("after the time in `Retry-After`", waitText(retryAfterSeconds));
  if (inWords !== chosen || !launchLimits.includes(code)) return inWords;
  return `${sentence(chosen)} (${waitText(retryAfterSeconds)})`;
}

const sentence = (text: string) => text.replace(/\.$/, "");

const CODES_UNAVAILABLE = ["connection_failed", "timeout", "rpc_failed", "claim_unverified"];
const STATUSES_UNAVAILABLE = [429, 502, 503, 504];
const exitCodesByStatus: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.signInRefused,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
};

function exitCodeOf(error: TokenctlError): ExitCode {
  const { code } = error;
  if (code === "aborted") return exitCodes.interrupted;
  if (code === "invalid_argument" || code === "validation_failed") return exitCodes.usage;
  const status = error instanceof ApiError ? error.status : 0;
  if (CODES_UNAVAILABLE.includes(code) || STATUSES_UNAVAILABLE.includes(status)) {
    return exitCodes.unavailable;
  }
  return exitCodesByStatus[status] ?? exitCodes.failed;
}

/** Looks a code of the server up: one such as `constructor` is not in the table. */
function own<T>(table: Readonly<Record<string, T>>, code: string): T | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

/** @returns what is probably wrong with the address, if the answer is not of a tokend; null otherwise */
function hintAboutUrl(
  { status, code, isFromGateway, requestId }: ApiError,
  apiUrl?: string,
): string | null {
  // Every answer of a tokend has a request id.
  const isForeign = isFromGateway || requestId === null;
  // No gateway answers 501: a server of files does, to a POST.
  const isRefusal = (status >= 400 && status < 500 && status !== 429) || status === 501;
  if (!isRefusal || !(isForeign || code === "not_found")) return null;
  if (apiUrl !== undefined && URL.canParse(apiUrl)) {
    const { origin, pathname } = new URL(apiUrl);
    if (pathname !== "/") return `Leave the path out of --api-url: ${origin}`;
  }
  return isForeign ? NO_TOKEND : null;
}

/** @returns what is probably wrong if an answer without a request id is not of the contract */
function shapeHint(error: TokenctlError): string | undefined {
  const isForeign = error instanceof InvalidResponseError && error.requestId === null;
  return isForeign && error.code === "invalid_response" ? NO_TOKEND : undefined;
}

/** Why a connection failed, and what to do about it if that is not the usual. */
interface ConnectionProblem {
  readonly why: string;
  readonly hint?: string;
}

const NO_TLS: ConnectionProblem = {
  why: "it does not speak TLS there",
  hint: "Give --api-url with http:// instead of https://, or start the server behind a proxy with TLS",
};
const NOT_TRUSTED: ConnectionProblem = {
  why: "its certificate is not trusted",
  hint: "Check --api-url; otherwise the server's operator must give it a certificate that is trusted",
};
const PERHAPS_TLS =
  "If the server speaks TLS there, give --api-url with https://; `tokenctl health` shows whether it works";

const problems: Readonly<Record<string, ConnectionProblem>> = {
  ECONNREFUSED: { why: "connection refused" },
  ECONNRESET: { why: "connection reset", hint: PERHAPS_TLS },
  EHOSTUNREACH: { why: "no route to the host" },
  ENOTFOUND: { why: "no such host" },
  ETIMEDOUT: { why: "no answer" },
  UND_ERR_SOCKET: { why: "connection closed", hint: PERHAPS_TLS },
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  CERT_HAS_EXPIRED: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: NOT_TRUSTED,
};

/** @returns null for other errors, and if the system does not say why the connection failed */
function connectionProblem(error: TokenctlError): ConnectionProblem | null {
  if (error.code !== "connection_failed") return null;
  let cause = error.cause;
  while (cause instanceof Error && !("code" in cause && typeof cause.code === "string")) {
    cause = cause.cause;
  }
  const code = systemCode(cause);
  if (code === "unknown") return null;
  const { why, hint } = own(problems, code) ?? { why: code };
  const isIdle = hint === PERHAPS_TLS && !error.message.includes("http://");
  return hint === undefined || isIdle ? { why } : { why, hint };
}
