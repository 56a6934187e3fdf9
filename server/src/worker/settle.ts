import { LaunchRefusedError } from "../launchpad/errors.ts";
import type { WorkerContext } from "./context.ts";
import { failLaunch } from "./fail.ts";
import type { Lease } from "./lease.ts";
import { LeaseLostError, leaveToHolder } from "./lease-lost.ts";
import { AlreadyLaunchedTodayError, limitLaunches } from "./limit.ts";
import { postponeLaunch } from "./postpone.ts";
import { leaveToNextDay, ShareUsedError } from "./share-used.ts";

/**
 * Chooses the transition of a launch whose deployment threw. It fails only if the chain refused it
 * for good, and is limited only if its agent has launched today. Every other error leaves it
 * pending.
 */
export async function settleError(
  lease: Lease,
  error: unknown,
  context: WorkerContext,
): Promise<void> {
  if (error instanceof LeaseLostError) {
    leaveToHolder(lease, context);
  } else if (error instanceof ShareUsedError) {
    await leaveToNextDay(lease, context);
  } else if (error instanceof LaunchRefusedError) {
    await failLaunch(lease, error, context);
  } else if (error instanceof AlreadyLaunchedTodayError) {
    context.backOff.end();
    await limitLaunches(context.store, lease.launch.wallet, lease.id);
  } else {
    await postponeLaunch(lease, error, context);
  }
}
