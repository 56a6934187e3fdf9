import type { LaunchStatus } from "@tokenctl/sdk";

/** The exit codes of the process. Scripts rely on them: they never change. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  signInRefused: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  launchFailed: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit codes as the root's `--help` shows them. */
export const exitCodeHelp = `Exit codes:
  0    done
  1    failed
  2    usage: a flag, argument or field is not valid
  3    sign-in refused
  4    not found
  5    conflict: ticker taken, nothing to claim, too little SOL, not retryable
  6    service or chain unavailable
  7    launch ended failed or rate_limited
  130  interrupted`;

export class CliError extends Error {
  /** Stable and snake_case, for example `keypair_missing`. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(
    code: string,
    message: string,
    context: { hint?: string | undefined; exitCode?: ExitCode | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
    this.exitCode = context.exitCode ?? exitCodes.failed;
  }
}

/** @returns the code of a system error, for example `ENOENT`; `unknown` if it has none */
export function systemCode(fault: unknown): string {
  return fault instanceof Error && "code" in fault ? String(fault.code) : "unknown";
}

/** The command line is not valid; nothing was done. */
export class UsageError extends CliError {
  constructor(message: string, hint: string) {
    super("usage", message, { hint, exitCode: exitCodes.usage });
  }
}

/** The error of a launch that was cancelled, on the wire. */
const CANCELLED = "Cancelled by its agent";

export class LaunchEndedError extends CliError {
  readonly eventId: string;

  constructor({ eventId, ticker, status, error }: LaunchStatus) {
    const isRateLimited = status === "rate_limited";
    const when = isRateLimited ? "After midnight UTC, run" : "Run";
    const what = isRateLimited
      ? `The launch of ${ticker} has to wait: this wallet has already launched a token today (UTC)`
      : `The launch of ${ticker} failed${error === null ? "" : `: ${error}`}`;
    const hold =
      error === CANCELLED
        ? "Its ticker is free, so another launch can take it"
        : "The server reserves its ticker for a limited time, 24 h by default";
    super(isRateLimited ? "launch_rate_limited" : "launch_failed", what, {
      hint: `${when} \`tokenctl retry ${eventId}\`. ${hold}`,
      exitCode: exitCodes.launchFailed,
    });
    this.eventId = eventId;
  }
}

/** The CLI stopped waiting for a launch, which continues. `cause` is the reason. */
export class StoppedWaitingError extends Error {
  readonly eventId: string;

  constructor(eventId: string, cause: unknown) {
    super("Stopped waiting for the launch", { cause });
    this.name = "StoppedWaitingError";
    this.eventId = eventId;
  }
}
