import { formatSol } from "@tokenctl/shared/sol";
import stringWidth from "string-width";
import type { Cell, Column, Rows } from "./desk.ts";
import { solColumn } from "./format.ts";
import type { Style } from "./text.ts";

/** Below this width, a table that does not fit becomes records. */
const NARROW = 80;
const GAP = 2;

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

/** A space that is not between two backticks. */
const OUTSIDE_COMMANDS = / (?=(?:[^`]*`[^`]*`)*[^`]*$)/;

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
  for (const word of text.split(OUTSIDE_COMMANDS)) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    // A word that fits no line stays on the current one.
    const fits = stringWidth(longer) <= cells || stringWidth(word) > cells;
    if (last === undefined || !fits) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
