import type { Notices } from "./notices.ts";
import type { Result } from "./result.ts";
import type { Settings } from "./settings.ts";

/** What every command gets. */
export interface Context {
  readonly settings: Settings;
  readonly notices: Notices;
  /** Prints one of several results at once; with `--json` on one line. */
  readonly print: (result: Result) => void;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}
