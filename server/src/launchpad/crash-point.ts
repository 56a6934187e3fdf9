const stepsOf = <Purpose extends string>(purpose: Purpose) =>
  (["signed", "stored", "sent", "landed", "recording"] as const).map(
    (step) => `${purpose}.${step}` as const,
  );

/** The steps of a launch and of an agent's claim between which a crash must do no harm. */
export const CRASH_POINTS = [
  "launch.accepted",
  "launch.leased",
  ...stepsOf("launch"),
  ...stepsOf("claim"),
] as const;

export const PAID_LAUNCH_CRASH_POINTS = [
  "launch.accepted",
  "launch.handed_out",
  ...stepsOf("launch"),
] as const;

export const HAND_OVER_CRASH_POINTS = stepsOf("hand_over");

export const COLLECT_CRASH_POINTS = stepsOf("collect");

export const MIGRATE_CRASH_POINTS = ["migrate.reserved", ...stepsOf("migrate")] as const;

export type CrashPointName =
  | (typeof CRASH_POINTS | typeof PAID_LAUNCH_CRASH_POINTS)[number]
  | (typeof HAND_OVER_CRASH_POINTS | typeof COLLECT_CRASH_POINTS)[number]
  | (typeof MIGRATE_CRASH_POINTS)[number];

/** Called after each step; crash tests kill the process there. Does nothing outside tests. */
export type CrashPoint = (name: CrashPointName) => void | Promise<void>;

/** Returns a function that kills the process like `kill -9` at the step in `TOKEND_CRASH_AT`. */
export function crashPointOf({ TOKEND_CRASH_AT: at }: NodeJS.ProcessEnv): CrashPoint | undefined {
  if (at === undefined) return undefined;
  return (name) => {
    if (name === at) process.kill(process.pid, "SIGKILL");
  };
}
