import type { Logger } from "pino";
import type { LaunchStore } from "../store/launch-store.ts";
import type { BackOff } from "./back-off.ts";

/** What every transition of a leased launch needs. */
export interface WorkerContext {
  readonly store: LaunchStore;
  readonly backOff: BackOff;
  readonly log: Logger;
}
