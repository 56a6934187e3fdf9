import type { Notices } from "./notices.ts";
import type { Result } from "./result.ts";
import type { Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** What every command gets. */
export interface Context {
  readonly settings: Settings;
  readonly notices: Notices;
  /** Prints one of several results at once; with `--json` on one line. */
  readonly print: (result: Result) => void;
  readonly env: World["env"];
  /** Asks for a secret, as `World.readSecret` does. */
  readonly readSecret: (prompt: string, again?: string) => Promise<string>;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}
