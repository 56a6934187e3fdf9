import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import type { LaunchStore } from "../store/launches.ts";
import type { BackOff } from "./back-off.ts";

/** What every transition of a leased launch needs. */
export interface WorkerContext {
  readonly store: LaunchStore;
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly log: Logger;
}
