/**
 * Text from elsewhere, fit to be shown in a terminal: control characters and marks that turn the
 * direction of writing around would let a token's name repaint the screen or pose as another.
 *
 * @returns the text with a replacement character for each of them
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
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
