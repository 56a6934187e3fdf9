import { formatSol } from "@tokenctl/shared/sol";
import stringWidth from "string-width";
import type { Cell, Column, Rows } from "./desk.ts";
import { solColumn } from "./format.ts";
import type { Style } from "./text.ts";

const GAP = 2;

/** The cells of a column that is shortened. */
const LEAST = { middle: 9, end: 12 } as const;

/** Lays out a table in terminal cells. If it is too wide, shortens cells or makes rows records. */
export function table(
  { columns, cells: rows, none = "" }: Rows,
  style: Style,
  width: number | null,
): string[] {
  if (rows.length === 0) return [none];
  const all = columns.map((column, index): Filled => {
    const cells = rows.map((row) => row[index] ?? null);
    const isRight = cells.some((cell) => typeof cell === "bigint" || typeof cell === "number");
    // The decimal points of amounts are aligned.
    const amounts = solColumn(cells.filter((cell) => typeof cell === "bigint"));
    const textAt = (cell: Cell) => (typeof cell === "bigint" ? amounts.shift() : textOf(cell));
    return { column, isRight, cells: cells.map((cell) => textAt(cell) ?? "") };
  });
  let free = (width ?? Number.POSITIVE_INFINITY) - total(all.map(shortWidth));
  if (free < 0) return records(all, rows.length, style, width);
  const widths = all.map((filled) => {
    const rest = naturalWidth(filled) - shortWidth(filled);
    const more = filled.column.shorten === "middle" && rest > free ? 0 : Math.min(free, rest);
    free -= more;
    return shortWidth(filled) + more;
  });
  return layOut(all, widths, style);
}

interface Filled {
  readonly column: Column;
  readonly isRight: boolean;
  readonly cells: readonly string[];
}

const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

export function textOf(cell: Cell): string {
  return typeof cell === "bigint" ? `${formatSol(cell)} SOL` : String(cell ?? "-");
}

function naturalWidth({ column, cells }: Filled): number {
  return Math.max(...[column.title, ...cells].map((text) => stringWidth(text)));
}

function shortWidth(filled: Filled): number {
  const { title, shorten } = filled.column;
  const least = shorten ? Math.max(LEAST[shorten], stringWidth(title)) : Number.POSITIVE_INFINITY;
  return Math.min(naturalWidth(filled), least);
}

function layOut(columns: readonly Filled[], widths: readonly number[], style: Style): string[] {
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const { column, isRight } = columns[index] as Filled;
        const most = widths[index] ?? 0;
        const text = cut(cell, column, most);
        const gap = " ".repeat(Math.max(0, most - stringWidth(text)));
        return isRight ? gap + text : text + gap;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const titles = columns.map(({ column }) => column.title);
  const rows = columns[0]?.cells.map((_, row) => columns.map(({ cells }) => cells[row] ?? ""));
  return [style.bold(line(titles)), ...(rows ?? []).map(line)];
}

/** Returns a block of lines for each row, without empty cells. */
function records(
  columns: readonly Filled[],
  rows: number,
  style: Style,
  width: number | null,
): string[] {
  return Array.from({ length: rows }, (_, row) => {
    const fields = columns.flatMap(({ column, cells }) => {
      const text = cells[row] ?? "";
      return text === "" ? [] : [[column.title, text.trimStart()] as const];
    });
    return [...(row === 0 ? [] : [""]), ...record(fields, style.bold, width)];
  }).flat();
}

function cut(text: string, { shorten: way }: Column, cells: number): string {
  if (way === undefined) return text;
  return way === "middle" ? shortenMiddle(text, cells) : shorten(text, cells);
}

/** Returns the text, or its beginning and `…` if it takes more cells. */
export function shorten(text: string, cells: number): string {
  if (stringWidth(text) <= cells) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += stringWidth(segment);
    if (width > cells) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Returns the text, or both its ends if it takes more cells, for example `7xKX…gAsU`. */
export function shortenMiddle(text: string, cells: number): string {
  if (stringWidth(text) <= cells) return text;
  const kept = Math.max(0, cells - 1);
  const head = Math.ceil(kept / 2);
  // Addresses, hashes and ids have only characters of one cell.
  return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}

/** A value is wrapped to at least this many cells. */
const LEAST_VALUE = 20;

/** @param cells the width of a line; a longer value continues below its own start */
export function record(
  fields: readonly (readonly [label: string, value: string])[],
  heading: (text: string) => string,
  cells: number | null = null,
): string[] {
  const width = Math.max(...fields.map(([label]) => label.length));
  const left = cells === null ? null : Math.max(LEAST_VALUE, cells - width - 2);
  return fields.flatMap(([label, value]) => {
    const head = heading(label.padEnd(width));
    if (cells === null || left === null) return [`${head}  ${value}`];
    // A word too long for the rest of the line starts below, so that an address stays whole.
    const longest = Math.max(...value.split(" ").map((word) => stringWidth(word)));
    if (longest > left) return [heading(label), ...broken(value, cells)];
    const [first = "", ...rest] = broken(value, left);
    const indent = " ".repeat(width + 2);
    return [`${head}  ${first}`, ...rest.map((line) => indent + line)];
  });
}

/** A word and the space after it. A command between two backticks is one word. */
const WORD = /(?:`[^`]*`|[^ ])* /g;

/** Breaks lines at spaces if they take more cells; null means no limit. */
export function wrapped(lines: string, cells: number | null): string {
  if (cells === null) return lines;
  return lines
    .split("\n")
    .flatMap((line) => broken(line, cells))
    .join("\n");
}

/** Breaks a text at spaces into lines. Words and commands stay whole, even if they are longer. */
function broken(text: string, cells: number): string[] {
  const lines: string[] = [];
  let width = 0;
  for (const word of `${text} `.match(WORD)?.map((one) => one.slice(0, -1)) ?? []) {
    const own = stringWidth(word);
    // A word that fits no line stays on the current one.
    const fits = lines.length > 0 && (width + 1 + own <= cells || own > cells);
    if (fits) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
    width = fits ? width + 1 + own : own;
  }
  return lines;
}
