import type { Network, TokenctlClient } from "@tokenctl/sdk";
import type { CliError } from "./errors.ts";
import type { ModelLimits } from "./mcp/model-limits.ts";
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

/** What a command works with, for a person at a terminal, a script or a model. */
export interface Desk {
  /** Absent if the command needs none. */
  readonly client: TokenctlClient;
  readonly settings: Settings;
  readonly options: GlobalOptions;
  readonly env: World["env"];
  readonly notices: Notices;
  /** Fires on Ctrl-C, or if a model's client cancels the call. */
  readonly signal: AbortSignal;
  /** What a model may do; null for people. */
  readonly model: ModelLimits | null;
  /** The server's chain, read once; undefined if the server does not name it. */
  network(): Promise<Network | undefined>;
  /**
   * Asks before the command does what cannot be undone: a person at a terminal where SOL has a value, or the
   * user of a model's client. The question is made only if it may be asked, and null asks nothing.
   *
   * @param transaction what is about to be signed, in base64: a chain is believed to be a sandbox only if it can land on no other
   * @param typed what a person has to type, on a sandbox too; otherwise `y`
   * @throws {CliError} unless they agree
   */
  confirm(
    question: () => Promise<Question | null> | Question | null,
    isAgreed?: boolean,
    transaction?: string,
    typed?: string,
  ): Promise<void>;
  readonly canAsk: boolean;
  /** Asks for a line at a terminal; null for models, with `--json`, and in pipes and scripts. */
  readonly ask: ((prompt: string) => Promise<string>) | null;
  readonly readSecret: (prompt: string, again?: string) => Promise<string>;
  /** Prints one of several results; with `--json` on one line. */
  readonly print: (result: Result) => void;
}

export interface Question {
  /** For example `Cancel the launch MINE`. */
  readonly action: string;
  readonly facts?: readonly Field[];
}

export interface Result {
  /** What `--json` prints, and a model gets. */
  readonly data: object;
  readonly view: View;
  /** A sentence for a model about the data. */
  readonly says?: string | undefined;
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
