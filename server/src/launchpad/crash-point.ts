/** The steps of a launch and of a claim between which a crash must do no harm. */
export const CRASH_POINTS = [
  "launch.accepted",
  "launch.leased",
  "launch.signed",
  "launch.stored",
  "launch.sent",
  "launch.landed",
  "launch.recording",
  "claim.accepted",
  "claim.stored",
  "claim.sent",
  "claim.landed",
  "claim.recording",
] as const;

export type CrashPointName = (typeof CRASH_POINTS)[number];

/** Called after each step; crash tests kill the process there. Does nothing outside tests. */
export type CrashPoint = (name: CrashPointName) => void | Promise<void>;

export const noCrashPoint: CrashPoint = () => {};

/** @returns a crash point at which the process kills itself as if with `kill -9` */
export function crashAt(point: CrashPointName): CrashPoint {
  return (name) => {
    if (name === point) process.kill(process.pid, "SIGKILL");
  };
}

export function isCrashPointName(text: string): text is CrashPointName {
  return (CRASH_POINTS as readonly string[]).includes(text);
}
