/**
 * Characters that a terminal obeys or that make a text look like another: control characters, marks
 * that turn the direction of writing around, line separators, characters that show nothing. What
 * holds an emoji together stays: its variation selector, and the joiner between two pictures.
 */
const UNSEEN =
  /(?!(?<=\p{Emoji})[\ufe0e\ufe0f])(?!(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d\p{ExtPict})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]/gu;

/**
 * Text from elsewhere, fit to be shown in a terminal: otherwise a token's name could repaint the
 * screen or pose as another's.
 *
 * @returns the text with each character that is not seen written out, for example `\u{202e}`
 */
export function plain(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/**
 * @param indent spaces a level; without it all is on one line
 * @returns JSON in which each character that is not seen is written out, for example `\u202e`, so
 * that a terminal can show it and a program reads the same
 */
export function plainJson(value: unknown, indent?: number): string {
  const writeOut = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, indent).replace(UNSEEN, (character) =>
    // In strings it is written out by now: this one is of the layout.
    character === "\n" ? character : character.split("").map(writeOut).join(""),
  );
}

/** @returns a copy of data with every string made {@link plain} */
export function plainStrings<T>(value: T): T {
  if (typeof value === "string") return plain(value) as T;
  if (Array.isArray(value)) return value.map(plainStrings) as T;
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plainStrings(item)]),
  ) as T;
}

/** @returns the text, or as much of it as fits into so many terminal cells, ending in `…` */
export function shorten(text: string, cells: number): string {
  if (Bun.stringWidth(text) <= cells) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += Bun.stringWidth(segment);
    if (width > cells) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A column of a table: its heading, and on which side its cells are flush. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/**
 * Lays out a table by the cells that its text takes in a terminal.
 *
 * @param heading paints a heading
 * @returns lines without an end, columns two cells apart
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  heading: (text: string) => string,
): string[] {
  const titles = columns.map((column) => column.title);
  const widths = titles.map((title, index) =>
    Math.max(
      ...[title, ...rows.map((row) => row[index] ?? "")].map((cell) => Bun.stringWidth(cell)),
    ),
  );
  const line = (cells: readonly string[], paint: (text: string) => string) =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? "";
        const gap = " ".repeat((widths[index] ?? 0) - Bun.stringWidth(cell));
        return align === "right" ? gap + paint(cell) : paint(cell) + gap;
      })
      .join("  ")
      .trimEnd();
  return [line(titles, heading), ...rows.map((row) => line(row, (cell) => cell))];
}

/** Lays out one record: a line a field, values in one column. */
export function record(
  fields: readonly (readonly [label: string, value: string])[],
  heading: (text: string) => string,
): string[] {
  const width = Math.max(...fields.map(([label]) => label.length));
  return fields.map(([label, value]) => `${heading(label.padEnd(width))}  ${value}`);
}
