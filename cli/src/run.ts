import type { Context } from "./context.ts";
import type { Result } from "./result.ts";
import type { GlobalOptions } from "./settings.ts";

/** Runs a command: prepares its context and prints its result. */
export type Run = (
  options: GlobalOptions,
  action: (context: Context) => Promise<Result | null>,
) => Promise<void>;
