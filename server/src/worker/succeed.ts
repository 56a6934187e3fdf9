import type { DeployedToken } from "../launchpad/launchpad.ts";
import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";

/** Records that a launch is on chain, with its token, and ends the back-off. */
export async function succeedLaunch(
  lease: Lease,
  token: DeployedToken,
  context: WorkerContext,
): Promise<void> {
  const { store, backOff, log } = context;
  backOff.end();
  const isRecorded = await store.succeed(lease.launch, lease.id, token);
  const about = { eventId: lease.launch.eventId, wallet: lease.launch.wallet, ...token };
  if (isRecorded) log.info(about, "launch deployed");
  else log.warn(about, "launch deployed, but its lease was lost; the new holder records it");
}
