import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import {
  ChainUnavailableError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import type { DeployedToken } from "../launchpad/launchpad.ts";
import type { LaunchStore } from "../store/launches.ts";
import type { BackOff } from "./back-off.ts";
import { DayUsedError, LeaseLostError } from "./deploy.ts";
import { type Lease, RATE_LIMITED } from "./lease.ts";

export interface SettleContext {
  readonly store: LaunchStore;
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly log: Logger;
}

/** Records that a launch is on chain, with its token. */
export function settleDeployed(lease: Lease, token: DeployedToken, context: SettleContext): void {
  const { store, clock, backOff, log } = context;
  backOff.end();
  const settled = store.succeed(lease.launch, lease.id, token, clock.now());
  const about = { eventId: lease.launch.eventId, wallet: lease.launch.wallet, ...token };
  if (settled) log.info(about, "launch deployed");
  else log.warn(about, "launch deployed, but its lease was lost; whoever holds it records it");
}

/**
 * Records why a launch is not on chain. It fails only where the chain refused it for good, and is
 * limited where its agent's day is used up; all else leaves it pending, to be taken up again.
 */
export function settleFault(lease: Lease, fault: unknown, context: SettleContext): void {
  const { store, clock, backOff, log } = context;
  const { eventId, wallet } = lease.launch;
  if (fault instanceof LeaseLostError) {
    log.warn({ eventId, wallet }, "lease lost while deploying");
  } else if (fault instanceof LaunchRefusedError) {
    backOff.end();
    log.error({ eventId, wallet, err: fault }, "launch refused by the chain");
    store.fail(eventId, lease.id, fault.message, clock.now());
  } else if (fault instanceof DayUsedError) {
    backOff.end();
    store.limit(wallet, lease.id, RATE_LIMITED, clock.now());
  } else {
    const runAt = backOff.begin();
    const expected = fault instanceof ChainUnavailableError || fault instanceof LaunchWalletError;
    log[expected ? "warn" : "error"]({ eventId, wallet, err: fault }, "launch put off");
    store.postpone(eventId, lease.id, runAt);
  }
}
