import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";

/** Another worker has taken the launch: this one may record nothing about it. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** Leaves a launch to the worker that holds it now. */
export function leaveToHolder({ launch }: Lease, { log }: WorkerContext): void {
  log.warn({ eventId: launch.eventId, wallet: launch.wallet }, "lease lost while deploying");
}
