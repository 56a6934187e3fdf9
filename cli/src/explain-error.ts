import type { FieldError, LaunchStatusName } from "@tokenctl/sdk";
import {
  ApiError,
  ClaimUnsettledError,
  HandOverUnsettledError,
  InsufficientSolError,
  InvalidResponseError,
  NonceError,
  NotApprovedError,
  TickerTakenError,
  TokenctlError,
} from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { solText } from "./amount.ts";
import { CliError, type ExitCode, exitCodes, StoppedWaitingError, systemCode } from "./errors.ts";
import { hintOf } from "./hints.ts";
import { aboutOwnLaunch } from "./next-steps.ts";
import { waitText } from "./waiting.ts";

export interface Explanation {
  readonly error: string;
  readonly code: string;
  readonly hint?: string | undefined;
  readonly details?: readonly FieldError[];
  /** The server's id of the request, for its operator. */
  readonly requestId?: string;
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
  "The answer is not from a tokend server: check --api-url, including whether it is http or https";
export const serverFaults = ["internal_error", "register_failed", "server_error"];
/** The server's own advice for these is for programmers. */
const ownAdvice: readonly string[] = [...serverFaults, "claim_mismatch", "claim_unsigned"];
/** For these the server says what it refused, and the hint what to do about it. */
const addedHints: readonly string[] = ["wrong_cluster", "method_not_allowed"];
/** The server's own advice for these does not say how long to wait. */
const launchLimits: readonly string[] = [
  "agent_launch_limit",
  "address_launch_limit",
  "share_used",
  "daily_budget_spent",
  "launch_rate_limit",
  "paused",
];

/** Every error passes through here. */
export function explainError(error: unknown, apiUrl?: string): Explanation {
  if (error instanceof StoppedWaitingError) return explainStopped(error, apiUrl);
  if (error instanceof ClaimUnsettledError) return explainUnsettled(error, apiUrl);
  if (error instanceof HandOverUnsettledError) return explainUnsettledHandOver(error, apiUrl);
  if (error instanceof InsufficientSolError) return explainInsufficient(error);
  if (error instanceof TickerTakenError) return explainTicker(error);
  if (error instanceof ApiError) {
    const explained = explainAnswer(error);
    const hint = hintAboutUrl(error, apiUrl);
    return hint === null ? explained : { ...explained, hint };
  }
  if (error instanceof NonceError) return explainNonce(error);
  // Thrown by the command's own check of a claim.
  if (error instanceof NotApprovedError) return explainError(error.cause, apiUrl);
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
    hint: "This is a bug in tokenctl. Run it again with TOKENCTL_DEBUG=1 and report what it prints",
    exitCode: exitCodes.failed,
  };
}

function explainStopped({ cause, eventId }: StoppedWaitingError, apiUrl?: string): Explanation {
  const why = explainError(cause, apiUrl);
  const error =
    why.exitCode === exitCodes.interrupted
      ? "Interrupted while waiting; the launch continues"
      : `${why.error}. The launch is accepted and continues`;
  const hint = `Return to it with \`tokenctl status ${eventId} --wait\``;
  return { ...why, error, hint, eventId };
}

/** Counts as a refused sign-in, although it is the client that refuses. */
function explainNonce({ message, code, problem, nonceHost }: NonceError): Explanation {
  const advice: Readonly<Record<typeof problem, string>> = {
    malformed: "Check that --api-url is the address of a tokend server",
    "no host": "If you trust the server, sign in with --allow-nonce-without-host",
    "other host": `Set --api-url to ${nonceHost} if you meant that server; otherwise its operator must set PUBLIC_URL`,
  };
  return { error: message, code, hint: advice[problem], exitCode: exitCodes.signInRefused };
}

/** The CLI keeps no signed claim, so its advice is to make a new one. */
function explainUnsettled(
  { cause, code, tokenMint }: ClaimUnsettledError,
  apiUrl?: string,
): Explanation {
  const why = explainError(cause, apiUrl);
  return {
    ...why,
    error: `It is not known whether the claim was paid: ${why.error}`,
    code,
    hint: `When \`tokenctl health\` says ok, run \`tokenctl claim ${tokenMint}\` again: fees are paid only once`,
  };
}

function explainUnsettledHandOver(
  { cause, code, tokenMint, transactionHash, claimed }: HandOverUnsettledError,
  apiUrl?: string,
): Explanation {
  const why = explainError(cause, apiUrl);
  const sum = claimed.reduce((total, { claimedSOL }) => total + solToLamports(claimedSOL), 0n);
  const before = sum > 0n ? `; ${formatSol(sum)} SOL of fees were claimed before` : "";
  return {
    ...why,
    error: `It is not known whether the token was handed over (${transactionHash}): ${why.error}${before}`,
    code,
    hint: `In two minutes, \`tokenctl token ${tokenMint}\` shows who has its fees`,
  };
}

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

function explainTicker(error: TickerTakenError): Explanation {
  const { eventId, launchStatus } = error;
  const explained = explainAnswer(error);
  if (eventId === null || launchStatus === null) return explained;
  const hint = aboutOwnLaunch({ eventId, status: launchStatus });
  return { ...explained, hint, eventId, launchStatus };
}

function explainAnswer(error: ApiError): Explanation {
  return {
    error: error.text || `The server answered ${error.status} without a reason`,
    code: error.code,
    hint: hintAboutFlag(error.details) ?? hintFor(error),
    ...(error.details.length > 0 && { details: error.details }),
    ...(error.requestId !== null && { requestId: error.requestId }),
    exitCode: exitCodeOf(error),
  };
}

/** For what is a flag here, and a field on the wire. */
function hintAboutFlag(details: readonly FieldError[]): string | undefined {
  if (
    details.some(({ field, message }) => field.endsWith("/address") && message.includes("`force`"))
  )
    return "Check the address; --force pays it, and at a wrong one the fees are lost";
  const about = details.find(({ field }) => field === "payer");
  if (about === undefined) return undefined;
  return about.message.includes("agent")
    ? "Wallets pay for their launches here: run it again with --pay, which states the cost and asks"
    : "The service pays for launches here: run it again without --pay";
}

/** The server's own advice comes first, because it knows more; then the CLI's, the contract's and the SDK's. */
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

/** @returns what is probably wrong with the address if the answer is not from a tokend; otherwise null */
function hintAboutUrl(
  { status, code, isFromGateway, requestId }: ApiError,
  apiUrl?: string,
): string | null {
  // Every answer of a tokend has a request id.
  const isForeign = isFromGateway || requestId === null;
  // A file server answers a POST with 501; no gateway does.
  const isRefusal = (status >= 400 && status < 500 && status !== 429) || status === 501;
  if (!isRefusal || !(isForeign || code === "not_found")) return null;
  if (apiUrl !== undefined && URL.canParse(apiUrl)) {
    const { origin, pathname } = new URL(apiUrl);
    if (pathname !== "/") return `Omit the path from --api-url: ${origin}`;
  }
  return isForeign ? NO_TOKEND : null;
}

/** @returns a hint if an answer without a request id does not follow the contract */
function shapeHint(error: TokenctlError): string | undefined {
  const isForeign = error instanceof InvalidResponseError && error.requestId === null;
  return isForeign && error.code === "invalid_response" ? NO_TOKEND : undefined;
}

/** Why a connection failed, and what to do if that is not the usual. */
interface ConnectionProblem {
  readonly why: string;
  readonly hint?: string;
}

const NO_TLS: ConnectionProblem = {
  why: "it does not speak TLS there",
  hint: "Use http:// instead of https:// in --api-url, or start the server behind a proxy with TLS",
};
const NOT_TRUSTED: ConnectionProblem = {
  why: "its certificate is not trusted",
  hint: "Check --api-url; otherwise the server's operator must install a trusted certificate",
};
const PERHAPS_TLS =
  "If the server speaks TLS there, use https:// in --api-url; `tokenctl health` shows whether it works";

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

function connectionProblem(error: TokenctlError): ConnectionProblem | null {
  if (error.code !== "connection_failed") return null;
  let cause = error.cause;
  while (cause instanceof Error && !("code" in cause && typeof cause.code === "string")) {
    cause = cause.cause;
  }
  const code = systemCode(cause);
  if (code === "unknown") return null;
  const { why, hint } = (Object.hasOwn(problems, code) ? problems[code] : undefined) ?? {
    why: code,
  };
  const isIdle = hint === PERHAPS_TLS && !error.message.includes("http://");
  return hint === undefined || isIdle ? { why } : { why, hint };
}
