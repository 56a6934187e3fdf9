/**
 * PostgreSQL's texts hold every character but U+0000, which a description may have. It is stored as
 * two other characters; a text without U+0000 and without `ESCAPE`, so nearly every text, as it is.
 */
const ESCAPE = "\u{F8FF}";
const ESCAPED_NUL = `${ESCAPE}0`;
const ESCAPED_ESCAPE = `${ESCAPE}1`;

/** @returns the text as the database stores it, without U+0000 */
export function escapeText(text: string): string {
  if (!text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll("\0", ESCAPED_NUL);
}

/** @returns the text that `escapeText` was given */
export function unescapeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(ESCAPED_NUL, "\0").replaceAll(ESCAPED_ESCAPE, ESCAPE);
}
