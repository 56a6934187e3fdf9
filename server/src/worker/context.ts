import type { Logger } from "pino";
import type { LaunchShares } from "../domain/day-budget.ts";
import type { LaunchStore } from "../store/launch-store.ts";
import type { BackOff } from "./back-off.ts";

/** What every transition of a leased launch needs. */
export interface WorkerContext {
  readonly store: LaunchStore;
  /** What part of a day's budget one address and one network may have; null for any. */
  readonly shares: LaunchShares | null;
  readonly backOff: BackOff;
  readonly log: Logger;
}
