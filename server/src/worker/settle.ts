import { LaunchRefusedError } from "../launchpad/errors.ts";
import type { WorkerContext } from "./context.ts";
import { failLaunch } from "./fail.ts";
import type { Lease } from "./lease.ts";
import { LeaseLostError, leaveToHolder } from "./lease-lost.ts";
import { AlreadyLaunchedTodayError, limitLaunches } from "./limit.ts";
import { postponeLaunch } from "./postpone.ts";

/**
 * Chooses the transition of a launch whose deployment threw. It fails only if the chain refused it
 * for good, and is limited only if its agent has launched today. Every other error leaves it
 * pending.
 */
export function settleError(lease: Lease, error: unknown, context: WorkerContext): void {
  if (error instanceof LeaseLostError) {
    leaveToHolder(lease, context);
  } else if (error instanceof LaunchRefusedError) {
    failLaunch(lease, error, context);
  } else if (error instanceof AlreadyLaunchedTodayError) {
    context.backOff.end();
    limitLaunches(context.store, lease.launch.wallet, lease.id, context.clock.now());
  } else {
    postponeLaunch(lease, error, context);
  }
}
