import type { Network } from "@tokenctl/sdk";
import type { CliError } from "./errors.ts";
import type { EventData } from "./render-event.ts";
import type { GlobalOptions, Settings } from "./settings.ts";
import type { Cell, Rows } from "./table.ts";
import type { World } from "./world.ts";

/** Writes to stderr while a command works. With `--json` each line is a JSON object. */
export interface Notices {
  /** Prints information, only on a terminal and without `--quiet` and `--json`. */
  notice(text: string): void;
  /** Prints what should be corrected, such as an exposed key, to files and pipes too. */
  warn(text: string): void;
  /**
   * Shows what the command is doing, next to a spinner. Only on a terminal, like a notice. It says when a
   * server takes longer than 3 s, or the time since `since`, in milliseconds since the Unix epoch.
   */
  progress(text: string, since?: number): void;
  /** Removes the spinner and shows the cursor again. Safe to call at any time. */
  stop(): void;
}

export interface Context {
  readonly settings: Settings;
  /** The settings that the command line gives. */
  readonly options: GlobalOptions;
  readonly notices: Notices;
  /** Prints one of several results; with `--json` on one line. */
  readonly print: (result: Result) => void;
  readonly env: World["env"];
  readonly readSecret: (prompt: string, again?: string) => Promise<string>;
  /** Asks for a line at a terminal; null with `--json` and in pipes and scripts. */
  readonly ask: ((prompt: string) => Promise<string>) | null;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Result {
  /** What `--json` prints, with the network if it is known. */
  readonly data: object;
  readonly view: View;
  readonly network?: Network | undefined;
  /** What to do next: printed on stderr after the result, on a terminal. */
  readonly next?: readonly string[];
  /** Printed on stderr after the result; decides the exit code. */
  readonly failure?: CliError | undefined;
}

/** What people see of a result: lines, or one of these. The renderer escapes the texts, which may be a server's. */
export type View =
  | readonly string[]
  /** A line with a label and a value for each field that is not undefined. */
  | { readonly fields: readonly Field[] }
  | { readonly table: Rows; readonly after?: readonly string[] }
  | { readonly event: EventData }
  /** Printed unchanged, with `--json` too. */
  | { readonly raw: string };

export type Field = readonly [label: string, value: Cell | undefined];
