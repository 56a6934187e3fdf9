import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { machine, versions } from "./machine.ts";
import { benchFolder } from "./paths.ts";
import type { Figures, Row, RowResult } from "./row.ts";

/** A row and what came of it: a result, or why there is none. */
export interface Outcome {
  readonly row: Row;
  readonly result: RowResult | string;
}

/** One row for people who wait for it. */
export function describe({ row, result }: Outcome): string {
  if (typeof result === "string") return `${row.work}\n  not measured: ${result}`;
  const goals = result.goals.map(
    ({ goal, reached, isReached }) => `  ${isReached ? "pass" : "MISS"}  ${goal}: ${reached}`,
  );
  return [row.work, ...goals, markdownTable(result.figures), ...result.notes].join("\n");
}

/** Writes `bench/RESULTS.md`. */
export function writeResults(
  outcomes: readonly Outcome[],
  about: { readonly command: string; readonly peerNotices: readonly string[] },
): void {
  const text = [
    "# What was measured",
    "",
    `\`${about.command}\` on ${machine()}; ${versions()}.`,
    "",
    "Contestants are measured by turns in several rounds; figures are medians over the rounds. Load",
    "and server share the machine, so absolute figures are only colour: what counts are the ratios.",
    ...about.peerNotices.flatMap((notice) => ["", notice]),
    "",
    markdownTable({
      columns: ["work", "goal", "reached", ""],
      lines: outcomes.flatMap(goalLines),
    }),
    ...outcomes.flatMap(figureSection),
  ];
  writeFileSync(join(benchFolder, "RESULTS.md"), `${text.join("\n")}\n`);
}

function goalLines({ row, result }: Outcome): string[][] {
  if (typeof result === "string") return [[row.work, "", `not measured: ${result}`, ""]];
  return result.goals.map(({ goal, reached, isReached }, index) => [
    index === 0 ? row.work : "",
    goal,
    reached,
    isReached ? "pass" : "**miss**",
  ]);
}

function figureSection({ row, result }: Outcome): string[] {
  if (typeof result === "string") return [];
  return [
    "",
    `## ${row.work}`,
    "",
    markdownTable(result.figures),
    ...(result.notes.length > 0 ? ["", ...result.notes] : []),
  ];
}

function markdownTable({ columns, lines }: Figures): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [row(columns), row(columns.map(() => "---")), ...lines.map(row)].join("\n");
}
