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
  /** Asks a terminal for a line; null if there is no one to ask: with `--json`, in pipes and scripts. */
  readonly ask: ((prompt: string) => Promise<string>) | null;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}
