import stringWidth from "string-width";
import { record, shorten, shortenMiddle } from "./text.ts";

/** Below this width a table that does not fit becomes records. */
const NARROW = 80;
/** Cells between two columns. */
const GAP = 2;

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** How its cells may be shortened: addresses keep both ends. Without it they stay whole. */
  readonly shorten?: "middle" | "end";
  /** Columns with small numbers are left out first; one without a number stays. */
  readonly dropFirst?: number;
}

/** What a cell says, and how it looks. */
export type Cell =
  | string
  | {
      readonly text: string;
      readonly paint?: (text: string) => string;
      /** Instead of the column's way. */
      readonly shorten?: "end";
    };

/** The fewest cells to which a column is shortened. */
const LEAST = { middle: 9, end: 12 } as const;

/**
 * Lays out a table for a terminal; counts the cells that a text takes there, not its characters. If it
 * is too wide, addresses lose their middle and names their end, then columns are left out. Below 80
 * cells it becomes records instead.
 *
 * @param heading styles a heading
 * @param width the terminal's cells; null for a pipe, which gets all of it
 * @returns lines without a newline
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  heading: (text: string) => string,
  width: number | null,
): string[] {
  const all = columns.map(
    (column, index): Filled => ({
      column,
      cells: rows.map((row) => row[index] ?? ""),
    }),
  );
  if (width === null || total(all.map(naturalWidth)) <= width) {
    return layOut(all, all.map(naturalWidth), heading);
  }
  for (let kept = all; width >= NARROW && kept.length > 0; ) {
    const widths = fit(kept, width);
    if (widths) return layOut(kept, widths, heading);
    const rest = withoutLeast(kept);
    if (rest.length === kept.length) break;
    kept = rest;
  }
  return records(all, rows.length, heading, width);
}

interface Filled {
  readonly column: Column;
  readonly cells: readonly Cell[];
}

const textOf = (cell: Cell) => (typeof cell === "string" ? cell : cell.text);
const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

function naturalWidth({ column, cells }: Filled): number {
  return Math.max(...[column.title, ...cells.map(textOf)].map((text) => stringWidth(text)));
}

/** @returns a width for each column, so that they fit together; null if they cannot */
function fit(columns: readonly Filled[], width: number): number[] | null {
  const natural = columns.map(naturalWidth);
  const widths = columns.map(({ column }, index) => {
    const own = natural[index] ?? 0;
    if (!column.shorten) return own;
    return Math.min(own, Math.max(LEAST[column.shorten], stringWidth(column.title)));
  });
  let left = width - total(widths);
  if (left < 0) return null;
  while (left > 0) {
    const short = widths.flatMap((own, index) => (own < (natural[index] ?? 0) ? [index] : []));
    if (short.length === 0) break;
    for (const index of short) {
      if (left === 0) break;
      widths[index] = (widths[index] ?? 0) + 1;
      left--;
    }
  }
  return widths;
}

function withoutLeast(columns: readonly Filled[]): Filled[] {
  const ranks = columns.map(({ column }) => column.dropFirst ?? Number.POSITIVE_INFINITY);
  const least = ranks.indexOf(Math.min(...ranks));
  return columns.filter((_, index) => index !== least || ranks[index] === Number.POSITIVE_INFINITY);
}

function layOut(
  columns: readonly Filled[],
  widths: readonly number[],
  heading: (text: string) => string,
): string[] {
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, index) => {
        const { column } = columns[index] as Filled;
        const most = widths[index] ?? 0;
        const text = cut(cell, column, most);
        const gap = " ".repeat(Math.max(0, most - stringWidth(text)));
        const shown = typeof cell === "string" ? text : (cell.paint ?? String)(text);
        return column.align === "right" ? gap + shown : shown + gap;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const titles = columns.map(({ column }) => ({ text: column.title, paint: heading }));
  const rows = columns[0]?.cells.map((_, row) => columns.map(({ cells }) => cells[row] ?? ""));
  return [line(titles), ...(rows ?? []).map(line)];
}

/** One block of lines for each row, its empty cells left out. */
function records(
  columns: readonly Filled[],
  rows: number,
  heading: (text: string) => string,
  width: number,
): string[] {
  return Array.from({ length: rows }, (_, row) => {
    const filled = columns.filter(({ cells }) => textOf(cells[row] ?? "") !== "");
    const labels = Math.max(...filled.map(({ column }) => column.title.length));
    const fields = filled.map(({ column, cells }) => {
      const cell = cells[row] ?? "";
      const text = cut(cell, column, width - labels - GAP).trimStart();
      const shown = typeof cell === "string" ? text : (cell.paint ?? String)(text);
      return [column.title, shown] as const;
    });
    return [...(row === 0 ? [] : [""]), ...record(fields, heading)];
  }).flat();
}

function cut(cell: Cell, column: Column, cells: number): string {
  const text = textOf(cell);
  const way = (typeof cell === "string" ? undefined : cell.shorten) ?? column.shorten;
  if (way === undefined) return text;
  return way === "middle" ? shortenMiddle(text, cells) : shorten(text, cells);
}
