import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { machine, versions } from "./machine.ts";
import { benchFolder } from "./paths.ts";
import type { Figures, Row, RowResult } from "./row.ts";

/** A row and its result, or the reason why there is none. */
export interface Outcome {
  readonly row: Row;
  readonly result: RowResult | string;
}

/** @returns the row and its goals in short, for people who wait for the report */
export function describe({ row, result }: Outcome): string {
  if (typeof result === "string") return `${row.work}\n  not measured: ${result}`;
  const goals = result.goals.map(
    ({ goal, reached, isReached }) => `  ${isReached ? "pass" : "MISS"}  ${goal}: ${reached}`,
  );
  return [row.work, ...goals].join("\n");
}

/** @returns the report of a run as Markdown */
export function reportOf(
  outcomes: readonly Outcome[],
  about: { readonly command: string; readonly peerNotices: readonly string[] },
): string {
  return [
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
  ].join("\n");
}

/** Replaces `bench/RESULTS.md`. */
export function writeResults(report: string): void {
  writeFileSync(join(benchFolder, "RESULTS.md"), `${report}\n`);
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
