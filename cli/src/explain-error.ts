import { inspect } from "node:util";
import type { FieldError, LaunchStatusName } from "@tokenctl/sdk";
import {
  ApiError,
  ClaimUnsettledError,
  HandOverUnsettledError,
  hasCode,
  TokenctlError,
} from "@tokenctl/sdk";
import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { CliError, type ExitCode, exitCodes } from "./errors.ts";
import { solText, waitText } from "./format.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { flagOf, operandOf } from "./grammar/field.ts";
import { adviceAfter, hintOf, inFlags } from "./hints.ts";
import { aboutOwnLaunch, LaunchStaysError, nextStep } from "./launch-words.ts";
import { wrapped } from "./layout.ts";
import { proxyBefore } from "./proxy.ts";
import { createStyle, plain, plainJson, plainStrings, type Style } from "./text.ts";
import type { World } from "./world.ts";

interface Explanation {
  readonly error: string;
  readonly code: string;
  readonly hint?: string | undefined;
  readonly details?: readonly FieldError[];
  /** The server's id of the request, for its operator. */
  readonly requestId?: string;
  readonly eventId?: string;
  /** The status of the wallet's own launch that has the ticker. Only with `ticker_taken`. */
  readonly launchStatus?: LaunchStatusName;
  /** With `insufficient_sol`: the wallet to send SOL to, the SOL it needs and the SOL it holds. */
  readonly wallet?: string | undefined;
  readonly requiredSOL?: number | undefined;
  readonly balanceSOL?: number | undefined;
  readonly exitCode: ExitCode;
}

const serverFaults = ["internal_error", "register_failed"];
/** The server's advice about these is for programmers, so it is not shown. */
const ownAdvice = [...serverFaults, "claim_mismatch", "method_not_allowed", "not_found"];

export function explainError(error: unknown): Explanation {
  if (error instanceof LaunchStaysError) return explainStays(error);
  const explained = explain(error);
  if (!(error instanceof TokenctlError)) return explained;
  const { eventId, claimed = [] } = error;
  const sum = claimed.reduce((total, { claimedSOL }) => total + solToLamports(claimedSOL), 0n);
  const before = sum > 0n ? `; ${formatSol(sum)} SOL of fees were claimed before` : "";
  const told = { ...explained, error: explained.error + before };
  if (typeof eventId !== "string" || error.code === "ticker_taken") return told;
  const hint = `The launch stays: ${nextStep({ eventId, status: "pending", waitingFor: null })}`;
  return { ...told, hint, eventId };
}

function explain(error: unknown): Explanation {
  if (error instanceof ClaimUnsettledError) {
    // The CLI keeps no signed claim, so it advises to make a new one.
    const hint = `When \`tokenctl health\` says ok, run \`tokenctl claim ${error.tokenMint}\` again: fees are paid only once`;
    return explainUnsettled(error, "the claim was paid", hint);
  }
  if (error instanceof HandOverUnsettledError) {
    const { tokenMint, transactionHash } = error;
    const hint = `In two minutes, \`tokenctl token ${tokenMint}\` shows who has its fees`;
    return explainUnsettled(error, `the token was handed over (${transactionHash})`, hint);
  }
  if (error instanceof ApiError && error.wallet) return explainInsufficient(error);
  if (hasCode(error, "ticker_taken") && error.eventId && error.launchStatus) {
    const { eventId, launchStatus } = error;
    const hint = aboutOwnLaunch({ eventId, status: launchStatus });
    return { ...explainAnswer(error), hint, eventId, launchStatus };
  }
  if (error instanceof ApiError) return explainAnswer(error);
  // The command's own check threw this before the signature.
  if (hasCode(error, "not_approved")) return explain(error.cause);
  if (error instanceof TokenctlError) {
    const { code, message, hint } = error;
    return {
      error: code === "aborted" ? "Interrupted" : inFlags(message),
      code,
      hint: hintOf(code) ?? (hint && inFlags(hint)),
      exitCode: exitCodeOf(code),
    };
  }
  if (error instanceof CliError) {
    const { message, code, hint, exitCode = exitCodeOf(code) } = error;
    return { error: message, code, hint, exitCode };
  }
  return {
    error: `Something unexpected went wrong: ${error instanceof Error ? error.message : error}`,
    code: "unexpected",
    hint: "This is a bug in tokenctl. Run it again with TOKENCTL_DEBUG=1 and report what it prints",
    exitCode: exitCodes.failed,
  };
}

function explainStays({ cause, launch }: LaunchStaysError): Explanation {
  const why = explainError(cause);
  const isUnsigned = launch.waitingFor === "agent_signature";
  const stays = isUnsigned
    ? "the launch waits for this wallet's signature"
    : "the launch is accepted and continues";
  const hint = [why.hint?.replace(/\.$/, ""), nextStep(launch)].filter(Boolean).join(". ");
  return { ...why, error: `${why.error}; ${stays}`, hint, eventId: launch.eventId };
}

function explainUnsettled(
  { cause, code }: ClaimUnsettledError | HandOverUnsettledError,
  what: string,
  hint: string,
): Explanation {
  const why = explain(cause);
  return { ...why, error: `It is not known whether ${what}: ${why.error}`, code, hint };
}

function explainInsufficient(error: ApiError): Explanation {
  const { requiredSOL, balanceSOL, wallet } = error;
  const figures =
    requiredSOL === undefined || balanceSOL === undefined
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

function explainAnswer(error: ApiError): Explanation {
  return {
    error: error.text || `The server answered ${error.status} without a reason`,
    code: error.code,
    hint: hintAboutFlag(error.details) ?? hintFor(error),
    ...(error.details.length > 0 && { details: error.details }),
    ...(error.requestId !== null && { requestId: error.requestId }),
    exitCode: exitCodeOf(error.code, error.status),
  };
}

/** Names the flag for a field that a flag sets. */
function hintAboutFlag(details: readonly FieldError[]): string | undefined {
  const about = details.find(({ field }) => field === "payer");
  if (about === undefined) return undefined;
  return about.message.includes("agent")
    ? "Wallets pay for their launches here: run it again with --pay, which states the cost and asks"
    : "The service pays for launches here: run it again without --pay";
}

/** Prefers the server's advice, which knows most; then the CLI's, the contract's and the SDK's. */
function hintFor({ code, explanation, hint, retryAfterSeconds }: ApiError): string | undefined {
  const advice = ownAdvice.includes(code) ? null : explanation;
  const chosen = advice ?? hintOf(code) ?? (hint && inFlags(hint));
  if (chosen === undefined || retryAfterSeconds === null) return chosen;
  const words = chosen.replace(/\.$| after the time in `Retry-After`/g, "");
  return `${words} (${waitText(retryAfterSeconds)})`;
}

/** The codes of errors without an HTTP status whose exit code is not `failed`. */
const CODES: Partial<Record<keyof typeof exitCodes, string>> = {
  usage: "invalid_argument validation_failed image_file image_refused files_folder name_too_long",
  // The client refuses here, but it counts as a refused sign-in.
  signInRefused: "nonce_refused",
  conflict: "launch_unknown",
  unavailable: "connection_failed timeout rpc_failed claim_unverified",
  launchFailed: "launch_failed launch_rate_limited rate_limited",
  interrupted: "aborted",
};

const STATUSES: Partial<Record<keyof typeof exitCodes, readonly number[]>> = {
  signInRefused: [401],
  notFound: [404],
  conflict: [409],
  unavailable: [429, 502, 503, 504],
};

/** @param status the answer's status. Default: the contract's for the code */
function exitCodeOf(
  code: string,
  status = isErrorCode(code) ? errorCodes[code].status : 0,
): ExitCode {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  const isIt = (name: keyof typeof exitCodes) =>
    CODES[name]?.split(" ").includes(code) || STATUSES[name]?.includes(status);
  return exitCodes[names.find(isIt) ?? "failed"];
}

/** Errors that the server's operator has to see, so their request id is shown. */
const FAULTS: readonly string[] = [...serverFaults, "claim_unsettled"];

/** Prints an error on stderr, and returns the exit code. */
export async function reportError(
  error: unknown,
  json: boolean,
  { env, err }: World,
  { apiUrl, command }: { apiUrl?: string | undefined; command?: Command } = {},
): Promise<ExitCode> {
  const explained = throughProxy(explainError(error), proxyBefore(apiUrl ?? "", env));
  const hint = command ? adviceAfter(command, explained.hint) : explained.hint;
  const told = { ...explained, hint };
  if (json) err.write(`${plainJson(told)}\n`);
  else {
    const style = createStyle(await err.isTerminal(), env);
    const lines = linesOf(plainStrings(told), style, command);
    err.write(wrapped(`${lines.join("\n")}\n`, await err.columns()));
  }
  if (env.TOKENCTL_DEBUG) err.write(`${inspect(error).split("\n").map(plain).join("\n")}\n`);
  return told.exitCode;
}

function linesOf(told: Explanation, style: Style, command?: Command): string[] {
  const { code, error, hint, details = [], requestId } = told;
  const fields = command ? typedFields(command) : {};
  const nameOf = (field: string) => {
    if (field.startsWith("receivers/")) return "--to";
    const schema = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (!schema) return field;
    return field in (command?.operands ?? {}) ? operandOf(field, schema) : flagOf(field, schema);
  };
  return [
    `${style.red("error:")} ${error}`,
    ...details.map(({ field, message }) => `  ${nameOf(field)} ${message}`),
    ...(hint === undefined ? [] : [`${style.bold("hint:")} ${hint}`]),
    ...(FAULTS.includes(code) && requestId !== undefined ? [`request id: ${requestId}`] : []),
  ];
}

/** Names the proxy in the explanation if a server behind a proxy does not answer. */
function throughProxy(explained: Explanation, found: ReturnType<typeof proxyBefore>): Explanation {
  const { code, error, exitCode } = explained;
  const isAway = code === "connection_failed" || exitCode === exitCodes.unavailable;
  if (found === null || !isAway) return explained;
  const { proxy, name } = found;
  const advice = "Check that the proxy runs and serves this address, or list its host in NO_PROXY";
  return { ...explained, error: `${error}, through the proxy ${proxy} of ${name}`, hint: advice };
}
