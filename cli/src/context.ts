import type { Notices } from "./notices.ts";
import type { Settings } from "./settings.ts";

/** What every command gets. */
export interface Context {
  readonly settings: Settings;
  readonly notices: Notices;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}
