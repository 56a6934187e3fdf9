import { launchedTodayText } from "@tokenctl/shared/error-codes";
import type { LaunchStore } from "../store/launch-store.ts";

/** The agent has a token of this UTC day already: nothing more may be signed for it today. */
export class AlreadyLaunchedTodayError extends Error {
  override readonly name = "AlreadyLaunchedTodayError";
}

/** Ends the leased launch of a wallet `rate_limited`, and all launches of the wallet that wait. */
export function limitLaunches(store: LaunchStore, wallet: string, leaseId: string): Promise<void> {
  return store.limit(wallet, leaseId, launchedTodayText);
}
