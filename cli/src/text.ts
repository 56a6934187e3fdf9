/**
 * Characters that control a terminal or make a text look like another: control characters, line
 * separators, invisible characters and marks that change the writing direction. An emoji's
 * variation selector and the joiner between two pictures are not included.
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

/** Returns a copy of data with every name and string escaped by {@link plain}. */
export function plainStrings<T>(value: T): T {
  if (typeof value === "string") return plain(value) as T;
  if (Array.isArray(value)) return value.map(plainStrings) as T;
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [plain(key), plainStrings(item)]),
  ) as T;
}

export type Style = Record<"bold" | "dim" | "red" | "yellow", (text: string) => string>;

export function createStyle(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const isColored = isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
  const paint = (open: number, close: number) => (text: string) =>
    isColored ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), yellow: paint(33, 39) };
}
