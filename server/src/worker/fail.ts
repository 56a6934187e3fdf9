import type { LaunchRefusedError } from "../launchpad/errors.ts";
import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";

/**
 * Ends a launch that the chain refused for good as `failed`. The agent reads the refusal's text.
 */
export async function failLaunch(
  lease: Lease,
  refusal: LaunchRefusedError,
  context: WorkerContext,
): Promise<void> {
  const { store, backOff, log } = context;
  const { eventId, wallet } = lease.launch;
  backOff.end();
  log.error({ eventId, wallet, err: refusal }, "launch refused by the chain");
  await store.fail(eventId, lease.id, refusal.message);
}
