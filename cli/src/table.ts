import { formatSol } from "@tokenctl/shared/sol";
import stringWidth from "string-width";
import { solColumn } from "./format.ts";
import { type Colour, record, type Style, shorten, shortenMiddle } from "./text.ts";

/** Below this width, a table that does not fit becomes records. */
const NARROW = 80;
const GAP = 2;

interface Layout {
  /** How cells may be shortened. `middle` keeps both ends of an address. Default: not at all. */
  readonly shorten?: "middle" | "end";
  /** The column with the smallest number is dropped first. Without a number it always stays. */
  readonly dropFirst?: number;
}

/** Columns of numbers are right-aligned. */
export type Column = Layout & { readonly title: string };

export type ColumnOf<Row> = readonly [title: string, of: (row: Row) => Cell, layout?: Layout];

/** A text, a number, lamports, or null for an empty cell. */
export type Cell =
  | string
  | number
  | bigint
  | null
  | {
      readonly text: string;
      readonly colour?: Colour;
      /** Overrides the column's setting. */
      readonly shorten?: "end";
    };

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
  const columns = columnsOf.map(([title, , layout]) => ({ title, ...layout }));
  const cells = items.map((item) => columnsOf.map(([, of]) => of(item)));
  if (!total || items.length < 2) return { columns, cells, none };
  const sums = columns.map((_, index): Cell => {
    const amounts = cells.map((row) => row[index]).filter((cell) => typeof cell === "bigint");
    return amounts.length > 0 ? amounts.reduce((sum, amount) => sum + amount, 0n) : "";
  });
  return { columns, cells: [...cells, sums.with(0, "Total")], none };
}

const LEAST = { middle: 9, end: 12 } as const;

/**
 * Lays out a table in terminal cells. If it is too wide, shortens addresses in the middle and
 * names at the end, then drops columns. Below 80 cells it becomes records.
 */
export function table(
  { columns, cells: rows, none = "" }: Rows,
  style: Style,
  width: number | null,
): string[] {
  if (rows.length === 0) return [none];
  const all = columns.map((column, index): Filled => {
    const cells = rows.map((row) => row[index] as Cell);
    const isRight = cells.some((cell) => typeof cell === "bigint" || typeof cell === "number");
    // The decimal points of amounts are aligned.
    const amounts = solColumn(cells.filter((cell) => typeof cell === "bigint"));
    const texts = cells.map((cell) => (typeof cell === "bigint" ? (amounts.shift() ?? "") : cell));
    return { column, isRight, cells: texts.map((text) => shownCell(text, style)) };
  });
  if (width === null || total(all.map(naturalWidth)) <= width) {
    return layOut(all, all.map(naturalWidth), style);
  }
  for (let kept = all; width >= NARROW && kept.length > 0; ) {
    const widths = fit(kept, width);
    const left = all.filter((one) => !kept.includes(one)).map(({ column }) => column.title);
    const note = style.dim(`Not shown: ${left.join(", ")}; --json has all`);
    if (widths) return [...layOut(kept, widths, style), ...(left.length > 0 ? [note] : [])];
    const rest = withoutLeast(kept);
    if (rest.length === kept.length) break;
    kept = rest;
  }
  return records(all, rows.length, style, width);
}

interface Shown {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly shorten?: "end";
}

interface Filled {
  readonly column: Column;
  readonly isRight: boolean;
  readonly cells: readonly Shown[];
}

const asIs = (text: string) => text;
const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

export function shownCell(cell: Cell, style: Style): Shown {
  if (typeof cell === "bigint") return { text: `${formatSol(cell)} SOL`, paint: asIs };
  if (typeof cell !== "object" || cell === null) return { text: String(cell ?? "-"), paint: asIs };
  const { colour, ...rest } = cell;
  return { ...rest, paint: colour ? style[colour] : asIs };
}

function naturalWidth({ column, cells }: Filled): number {
  return Math.max(
    ...[column, ...cells].map((it) => stringWidth("title" in it ? it.title : it.text)),
  );
}

/** Returns a width for each column; null if they cannot fit. */
function fit(columns: readonly Filled[], width: number): number[] | null {
  const natural = columns.map(naturalWidth);
  const widths = columns.map(({ column }, index) => {
    const own = natural[index] ?? 0;
    if (!column.shorten) return own;
    return Math.min(own, Math.max(LEAST[column.shorten], stringWidth(column.title)));
  });
  let left = width - total(widths);
  if (left < 0) return null;
  const isShort = (own: number, index: number) => own < (natural[index] ?? 0);
  for (let at = 0; left > 0 && widths.some(isShort); at = (at + 1) % widths.length) {
    const own = widths[at] ?? 0;
    if (!isShort(own, at)) continue;
    widths[at] = own + 1;
    left--;
  }
  return widths;
}

function withoutLeast(columns: readonly Filled[]): Filled[] {
  const ranks = columns.map(({ column }) => column.dropFirst ?? Number.POSITIVE_INFINITY);
  const least = ranks.indexOf(Math.min(...ranks));
  return columns.filter((_, index) => index !== least || ranks[index] === Number.POSITIVE_INFINITY);
}

function layOut(columns: readonly Filled[], widths: readonly number[], style: Style): string[] {
  const line = (cells: readonly Shown[]) =>
    cells
      .map((cell, index) => {
        const { column, isRight } = columns[index] as Filled;
        const most = widths[index] ?? 0;
        const text = cut(cell, column, most);
        const gap = " ".repeat(Math.max(0, most - stringWidth(text)));
        return isRight ? gap + cell.paint(text) : cell.paint(text) + gap;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const titles = columns.map(({ column }) => ({ text: column.title, paint: style.bold }));
  const rows = columns[0]?.cells.map((_, row) => columns.flatMap(({ cells }) => cells[row] ?? []));
  return [line(titles), ...(rows ?? []).map(line)];
}

/** Returns a block of lines for each row, without empty cells. */
function records(columns: readonly Filled[], rows: number, style: Style, width: number): string[] {
  return Array.from({ length: rows }, (_, row) => {
    const filled = columns.flatMap(({ column, cells }) => {
      const cell = cells[row];
      return cell === undefined || cell.text === "" ? [] : [{ column, cell }];
    });
    const labels = Math.max(...filled.map(({ column }) => column.title.length));
    const fields = filled.map(({ column, cell }) => {
      const text = cut(cell, column, width - labels - GAP).trimStart();
      return [column.title, cell.paint(text)] as const;
    });
    return [...(row === 0 ? [] : [""]), ...record(fields, style.bold)];
  }).flat();
}

function cut({ text, shorten: own }: Shown, column: Column, cells: number): string {
  const way = own ?? column.shorten;
  if (way === undefined) return text;
  return way === "middle" ? shortenMiddle(text, cells) : shorten(text, cells);
}
