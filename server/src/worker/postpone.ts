import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";
import { waitReason } from "./wait-reason.ts";

/** Leaves a launch pending until the back-off ends: the next one would run into the same error. */
export async function postponeLaunch(
  lease: Lease,
  error: unknown,
  context: WorkerContext,
): Promise<void> {
  const { store, backOff, log } = context;
  const { eventId, wallet } = lease.launch;
  const reason = waitReason(error);
  const delayMs = backOff.begin(reason);
  const level = reason === "service_problem" ? "error" : "warn";
  log[level]({ eventId, wallet, err: error }, "launch put off");
  await store.postpone(eventId, lease.id, delayMs, reason);
}

/** Gives a launch back at once, because the worker stops. */
export async function releaseLaunch(lease: Lease, { store }: WorkerContext): Promise<void> {
  await store.postpone(lease.launch.eventId, lease.id, 0);
}
