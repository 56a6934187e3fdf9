/** The steps of a launch and of a claim between which a crash must do no harm. */
export type CheckpointName =
  | "launch.accepted"
  | "launch.leased"
  | "launch.signed"
  | "launch.stored"
  | "launch.sent"
  | "launch.landed"
  | "launch.recorded"
  | "claim.stored"
  | "claim.sent"
  | "claim.landed"
  | "claim.recorded";

/** Called as each step is done; crash tests kill the process here. Absent in normal running. */
export type Checkpoint = (name: CheckpointName) => void | Promise<void>;
