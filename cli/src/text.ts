import stringWidth from "string-width";

/**
 * Characters that a terminal obeys or that make a text look like another one: control characters,
 * marks that change the direction of writing, line separators, invisible characters. Not among them
 * is what an emoji needs: its variation selector, and the joiner between two pictures.
 */
const UNSEEN =
  /(?!(?<=\p{Emoji})[\ufe0e\ufe0f])(?!(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d\p{ExtPict})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]/gu;

/**
 * Makes foreign text safe for a terminal: otherwise a token's name could repaint the screen or look
 * like another's.
 *
 * @returns the text with each unseen character escaped, for example `\u{202e}`
 */
export function plain(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/**
 * @param indent spaces per level; without it the JSON is one line
 * @returns JSON in which each unseen character is escaped, for example `\u202e`: safe for a terminal,
 * and a program reads the same value
 */
export function plainJson(value: unknown, indent?: number): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, indent).replace(UNSEEN, (character) =>
    // A newline within a string is escaped already: this one is layout.
    character === "\n" ? character : character.split("").map(escapeUnit).join(""),
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

/** @returns the text, or its beginning and `…` if it takes more terminal cells than that */
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

/** @returns the text, or its two ends and `…` between them if it takes more cells: `7xKX…gAsU` */
export function shortenMiddle(text: string, cells: number): string {
  if (stringWidth(text) <= cells) return text;
  const kept = Math.max(0, cells - 1);
  const head = Math.ceil(kept / 2);
  // Addresses, hashes and ids: each character takes one cell.
  return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}

/** Lays out one record: one line per field, values in one column. */
export function record(
  fields: readonly (readonly [label: string, value: string])[],
  heading: (text: string) => string,
): string[] {
  const width = Math.max(...fields.map(([label]) => label.length));
  return fields.map(([label, value]) => `${heading(label.padEnd(width))}  ${value}`);
}

/** @returns an ISO timestamp to the minute: `2026-11-21 09:30Z` */
export function minute(timestamp: string): string {
  return timestamp.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2Z");
}

/** @returns where a token trades */
export function venue({ isMigrated }: { readonly isMigrated: boolean }): string {
  return isMigrated ? "pool" : "curve";
}
