import type { WaitingFor } from "@tokenctl/shared/types";
import type { LaunchWait } from "../domain/launch.ts";

/** Places are counted up to this one: an agent asks often, and each question counts. */
export const MAX_PLACE = 1_000;

/** The columns of a launch that show what it waits for. */
export interface WaitColumns {
  readonly status: string;
  readonly waitingFor: string | null;
  readonly waitingSince: number | null;
  readonly runAt: number;
  readonly leaseId: string | null;
}

/** @returns null unless the launch is pending; the place is not counted yet */
export function waitOf(columns: WaitColumns): LaunchWait | null {
  const { status, waitingFor, waitingSince, runAt, leaseId } = columns;
  if (status !== "pending") return null;
  // A launch whose server stopped before it signed anything waits for its turn again.
  const isQueued = waitingFor === null || (waitingFor === "deployment" && leaseId === null);
  if (isQueued || waitingSince === null) return { reason: "queue", since: runAt, place: null };
  return { reason: waitingFor as WaitingFor, since: waitingSince, place: null };
}
