import type { LaunchRefusedError } from "../launchpad/errors.ts";
import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";

/**
 * Ends a launch that the chain refused for good as `failed`. The agent reads the refusal's text.
 */
export function failLaunch(
  lease: Lease,
  refusal: LaunchRefusedError,
  context: WorkerContext,
): void {
  const { store, clock, backOff, log } = context;
  const { eventId, wallet } = lease.launch;
  backOff.end();
  log.error({ eventId, wallet, err: refusal }, "launch refused by the chain");
  store.fail(eventId, lease.id, refusal.message, clock.now());
}
