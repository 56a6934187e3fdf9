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
  2    usage: a flag, argument or field cannot be used as it is
  3    sign-in refused
  4    not found
  5    conflict: ticker taken, nothing to claim, too little SOL, not retryable
  6    service or chain unavailable
  7    launch ended failed or rate_limited
  130  interrupted`;
