import type { Network, TokenctlClient } from "@tokenctl/sdk";
import type { CliError } from "./errors.ts";
import type { ModelLimits } from "./mcp/model-limits.ts";
import type { GlobalOptions, Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** Writes to stderr while a command works. With `--json` each line is a JSON object. */
export interface Notices {
  /** Prints news, only on a terminal and without `--quiet` and `--json`, and none twice in a row. */
  notice(text: string): void;
  /** Ends the spinner, before a question or a result. */
  stop(): void;
  /** Prints a warning, such as about an exposed key, even if stderr is a file or a pipe. */
  warn(text: string): void;
}

/** What a command works with, for a person at a terminal, for a script or for a model. */
export interface Desk {
  /** Undefined if the command needs no client. */
  readonly client: TokenctlClient;
  readonly settings: Settings;
  readonly options: GlobalOptions;
  readonly env: World["env"];
  readonly notices: Notices;
  /** Fires on Ctrl-C, and if a model's client cancels the call. */
  readonly signal: AbortSignal;
  /** The limits of a model; null for people. */
  readonly model: ModelLimits | null;
  /** Reads the server's chain once; undefined if the server does not name it. */
  network(): Promise<Network | undefined>;
  /**
   * Asks before the command does what cannot be undone: a person at a terminal if SOL has a value,
   * or the user of a model's client. Calls `question` only if it may ask; null asks nothing.
   * @param transaction what is about to be signed, in base64. The chain counts as a sandbox only if
   *   the transaction can land on no other chain
   * @throws {CliError} unless the person or user agrees
   */
  confirm(
    question: () => Promise<Question | null> | Question | null,
    isAgreed?: boolean,
    transaction?: string,
  ): Promise<void>;
  /** Whether a question can be asked: not in scripts, in pipes and with `--json`. */
  readonly canAsk: boolean;
  /** Prints one of several results, with `--json` on one line. Returns false once none is read. */
  readonly print: (result: Result) => boolean;
}

export interface Question {
  /** For example `Cancel the launch MINE`. */
  readonly action: string;
  readonly facts?: readonly Field[];
}

/** `--json` and a model get the data; people see the rest. The renderer escapes all texts. */
export interface Result {
  readonly data: object;
  /** One line with label and value for each field that is not undefined. */
  readonly fields?: readonly Field[] | undefined;
  readonly table?: Rows | undefined;
  /** They follow a table. */
  readonly lines?: readonly string[];
  /** Printed unchanged, instead of all others, even with `--json`. */
  readonly raw?: string;
  /** A sentence about the data, for a model. */
  readonly says?: string | undefined;
  /** What to do next; printed on stderr after the result, only on a terminal. */
  readonly next?: readonly string[];
  /** Printed on stderr after the result; its code decides the exit code. */
  readonly failure?: CliError | undefined;
}

export type Field = readonly [label: string, value: Cell | undefined];

/** How cells may be shortened. `middle` keeps both ends of an address. Default: not at all. */
type Shorten = "middle" | "end";

/** Columns of numbers are right-aligned. */
export interface Column {
  readonly title: string;
  readonly shorten?: Shorten | undefined;
}

export type ColumnOf<Row> = readonly [title: string, of: (row: Row) => Cell, shorten?: Shorten];

/** A text, a number, lamports, or null for an empty cell. */
export type Cell = string | number | bigint | null;

export interface Rows {
  /** Replaces a table without rows. */
  readonly none?: string;
  readonly columns: readonly Column[];
  readonly cells: readonly (readonly Cell[])[];
}

/** Returns a row for each item; `total` adds a row with the sums of lamports of several items. */
export function rowsOf<Row>(
  items: readonly Row[],
  columnsOf: readonly ColumnOf<Row>[],
  { none = "", total = false } = {},
): Rows {
  const columns = columnsOf.map(([title, , shorten]) => ({ title, shorten }));
  const cells = items.map((item) => columnsOf.map(([, of]) => of(item)));
  if (!total || items.length < 2) return { columns, cells, none };
  const sums = columns.map((_, index): Cell => {
    const amounts = cells.map((row) => row[index]).filter((cell) => typeof cell === "bigint");
    return amounts.length > 0 ? amounts.reduce((sum, amount) => sum + amount, 0n) : "";
  });
  return { columns, cells: [...cells, sums.with(0, "Total")], none };
}
