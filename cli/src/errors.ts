/** The exit codes of the process. Scripts rely on them, so they never change. */
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
  readonly hint: string | undefined;
  /** Undefined if the code determines it. */
  readonly exitCode: ExitCode | undefined;

  constructor(
    /** Stable and snake_case, for example `keypair_missing`. */
    readonly code: string,
    message: string,
    context: { hint?: string | undefined; exitCode?: ExitCode | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: context.cause });
    this.name = new.target.name;
    this.hint = context.hint;
    this.exitCode = context.exitCode;
  }
}

/** Returns the code of a system error, for example `ENOENT`; `unknown` if it has none. */
export function systemCode(fault: unknown): string {
  const isKnown = fault instanceof Error && "code" in fault && typeof fault.code === "string";
  return isKnown ? String(fault.code) : "unknown";
}

/** Catches the error of a file that is not there. */
export function unlessMissing(fault: unknown): undefined {
  if (!["ENOENT", "ENOTDIR"].includes(systemCode(fault))) throw fault;
}

export class UsageError extends CliError {
  constructor(message: string, hint: string) {
    super("usage", message, { hint, exitCode: exitCodes.usage });
  }
}

/** Ends a call so that a model's client can ask its user; the call runs again with the answer. */
export class UnansweredError extends Error {}
