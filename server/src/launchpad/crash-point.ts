/** The steps of a launch and of an agent's claim between which a crash must do no harm. */
export const CRASH_POINTS = [
  "launch.accepted",
  "launch.leased",
  "launch.signed",
  "launch.stored",
  "launch.sent",
  "launch.landed",
  "launch.recording",
  "claim.signed",
  "claim.stored",
  "claim.sent",
  "claim.landed",
  "claim.recording",
] as const;

/** The same of an agent that hands a token over. */
export const HAND_OVER_CRASH_POINTS = [
  "handOver.signed",
  "handOver.stored",
  "handOver.sent",
  "handOver.landed",
  "handOver.recording",
] as const;

/** The same of what the operator collects. */
export const COLLECT_CRASH_POINTS = [
  "collect.signed",
  "collect.stored",
  "collect.sent",
  "collect.landed",
  "collect.recording",
] as const;

/** The same of a pool that the server migrates. */
export const MIGRATE_CRASH_POINTS = [
  "migrate.reserved",
  "migrate.signed",
  "migrate.stored",
  "migrate.sent",
  "migrate.landed",
  "migrate.recording",
] as const;

const ALL = [
  ...CRASH_POINTS,
  ...HAND_OVER_CRASH_POINTS,
  ...COLLECT_CRASH_POINTS,
  ...MIGRATE_CRASH_POINTS,
] as const;

export type CrashPointName = (typeof ALL)[number];

/** Called after each step; crash tests kill the process there. Does nothing outside tests. */
export type CrashPoint = (name: CrashPointName) => void | Promise<void>;

/** @returns a crash point at which the process kills itself as if with `kill -9` */
export function crashAt(point: CrashPointName): CrashPoint {
  return (name) => {
    if (name === point) process.kill(process.pid, "SIGKILL");
  };
}

export function isCrashPointName(text: string): text is CrashPointName {
  return (ALL as readonly string[]).includes(text);
}
