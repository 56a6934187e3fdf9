import stringWidth from "string-width";

/**
 * Characters that control a terminal or make a text look like another: control characters, line
 * separators, invisible characters and marks that change the writing direction. Not included are
 * an emoji's variation selector and the joiner between two pictures.
 */
const UNSEEN =
  /(?!(?<=\p{Emoji})[\ufe0e\ufe0f])(?!(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d\p{ExtPict})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]/gu;

/** Escapes each unseen character of a foreign text for a terminal, for example as `\u{202e}`. */
export function plain(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Returns JSON with unseen characters escaped, such as `\u202e`; it parses to the same value. */
export function plainJson(value: unknown, indent?: number): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, indent).replace(UNSEEN, (character) =>
    // JSON escapes a newline within a string, so this one is layout.
    character === "\n" ? character : character.split("").map(escapeUnit).join(""),
  );
}

/** Returns a copy of data with every string escaped by {@link plain}. */
export function plainStrings<T>(value: T): T {
  if (typeof value === "string") return plain(value) as T;
  if (Array.isArray(value)) return value.map(plainStrings) as T;
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plainStrings(item)]),
  ) as T;
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

export type Colour = "bold" | "dim" | "red" | "green" | "yellow";

export type Style = Record<Colour, (text: string) => string>;

export function createStyle(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const isColored = isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
  const paint = (open: number, close: number) => (text: string) =>
    isColored ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}
