import type { Network } from "@tokenctl/sdk";
import type { CliError } from "./errors.ts";
import type { EventData } from "./render-event.ts";
import type { GlobalOptions, Settings } from "./settings.ts";
import type { Cell, Rows } from "./table.ts";
import type { World } from "./world.ts";

/** Writes to stderr while a command works. With `--json` each line is a JSON object. */
export interface Notices {
  /** Prints something of interest. Only on a terminal, and not with `--quiet` or `--json`. */
  notice(text: string): void;
  /** Prints what should be corrected, such as an exposed key: to files and pipes too, for logs. */
  warn(text: string): void;
  /**
   * Shows what the command does now, beside a spinner. Only on a terminal, like a notice. If the server
   * takes longer than 3 s, it says so.
   *
   * @param since if given, it shows the time since then instead, in milliseconds since the Unix epoch
   */
  progress(text: string, since?: number): void;
  /** Removes the spinner and shows the cursor again. Safe to call at any time. */
  stop(): void;
}

/** What every command gets. */
export interface Context {
  readonly settings: Settings;
  /** What the command line says of the settings. */
  readonly options: GlobalOptions;
  readonly notices: Notices;
  /** Prints one of several results at once; with `--json` on one line. */
  readonly print: (result: Result) => void;
  readonly env: World["env"];
  /** Asks for a secret, as `World.readSecret` does. */
  readonly readSecret: (prompt: string, again?: string) => Promise<string>;
  /** Asks a terminal for a line; null if nothing can be asked: with `--json`, in pipes and scripts. */
  readonly ask: ((prompt: string) => Promise<string>) | null;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The result of a command. */
export interface Result {
  /** What `--json` prints, with the network if that is known. */
  readonly data: object;
  readonly view: View;
  /** The chain that it is about; absent if that is not known. */
  readonly network?: Network | undefined;
  /** What to do or look at next: printed on stderr after the result, on a terminal. */
  readonly next?: readonly string[];
  /** Printed on stderr after the result; decides the exit code. */
  readonly failure?: CliError | undefined;
}

/** What people see of a result: lines, or what follows. The renderer escapes its texts, which may be a server's. */
export type View =
  | readonly string[]
  /** A record: a label and a value a line. A field that is undefined is left out. */
  | { readonly fields: readonly Field[] }
  | { readonly table: Rows; readonly after?: readonly string[] }
  | { readonly event: EventData }
  /** Printed as it is, in place of JSON too. */
  | { readonly raw: string };

export type Field = readonly [label: string, value: Cell | undefined];
