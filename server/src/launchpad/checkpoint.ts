/** The steps of a launch and of a claim between which a crash must do no harm. */
export const CHECKPOINTS = [
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

export type CheckpointName = (typeof CHECKPOINTS)[number];

/** Called after each step; crash tests kill the process there. Does nothing outside tests. */
export type Checkpoint = (name: CheckpointName) => void | Promise<void>;

export const noCheckpoint: Checkpoint = () => {};

/** @returns a checkpoint at which the process kills itself as if with `kill -9` */
export function crashAt(point: CheckpointName): Checkpoint {
  return (name) => {
    if (name === point) process.kill(process.pid, "SIGKILL");
  };
}

export function isCheckpointName(text: string): text is CheckpointName {
  return (CHECKPOINTS as readonly string[]).includes(text);
}
