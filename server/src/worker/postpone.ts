import { ChainUnavailableError, LaunchWalletError } from "../launchpad/errors.ts";
import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";

/** Leaves a launch pending until the back-off ends: the next one would run into the same error. */
export function postponeLaunch(lease: Lease, error: unknown, context: WorkerContext): void {
  const { store, backOff, log } = context;
  const { eventId, wallet } = lease.launch;
  const runAt = backOff.begin();
  const isExpected = error instanceof ChainUnavailableError || error instanceof LaunchWalletError;
  log[isExpected ? "warn" : "error"]({ eventId, wallet, err: error }, "launch put off");
  store.postpone(eventId, lease.id, runAt);
}

/** Gives a launch back at once, because the worker stops. */
export function releaseLaunch(lease: Lease, { store, clock }: WorkerContext): void {
  store.postpone(lease.launch.eventId, lease.id, clock.now());
}
