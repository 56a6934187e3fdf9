import { parseArgs } from "node:util";
import type { Row, Scale } from "./harness/row.ts";

export interface Options {
  readonly scale: Scale;
  readonly rows: readonly Row[];
  /** Whether the report replaces `bench/RESULTS.md`; otherwise it is printed. */
  readonly isWritten: boolean;
}

export const USAGE = `bun run bench [--quick] [--only <row,…>] [--rounds <n>] [--seconds <n>] [--write]

Prints a report of what it measured.

  --quick          a short run that checks the harness and the answers; its figures mean nothing
  --only <rows>    measure only these: %rows
  --rounds <n>     rounds of each row, default 5; figures are medians over them
  --seconds <n>    seconds of each measurement, default 4
  --write          write the report of a whole run to bench/RESULTS.md instead of printing it`;

/** @throws {Error} if an option is not one of the above, or does not go with `--write` */
export function parseOptions(words: readonly string[], rows: readonly Row[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const { quick, only, write } = values;
  if (write && (quick || only !== undefined)) {
    throw new Error("--write takes a whole run: leave out --quick and --only");
  }
  const scale = {
    quick,
    rounds: wholeNumber("--rounds", values.rounds, quick ? 1 : 5),
    seconds: wholeNumber("--seconds", values.seconds, quick ? 1 : 4),
    warmUpSeconds: quick ? 0 : 3,
  };
  return {
    scale,
    rows: only === undefined ? rows : only.split(",").map((id) => named(id, rows)),
    isWritten: write,
  };
}

function named(id: string, rows: readonly Row[]): Row {
  const row = rows.find((candidate) => candidate.id === id);
  if (row) return row;
  throw new Error(`there is no row ${id}; there are ${rows.map((each) => each.id).join(", ")}`);
}

function wholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${name} must be a whole number above 0`);
}
