import { LONGEST_DELAY_MS } from "../store/launch-store.ts";
import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";

/** The launch's address or network has its share of what launches may cost today. */
export class ShareUsedError extends Error {
  override readonly name = "ShareUsedError";
}

/** Leaves a launch pending; others go on, because only its own network has to wait for the next day. */
export async function leaveToNextDay(lease: Lease, context: WorkerContext): Promise<void> {
  const { store, backOff, log } = context;
  const { eventId, wallet } = lease.launch;
  backOff.end();
  log.warn({ eventId, wallet }, "launch put off: its network has its share of today's budget");
  await store.postpone(eventId, lease.id, LONGEST_DELAY_MS, "daily_budget_spent");
}
