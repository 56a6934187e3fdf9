const encoder = new TextEncoder();
let graphemes: Intl.Segmenter | undefined;

/**
 * Returns the longest beginning that fits. It ends between visible characters, or between code
 * points if the first character is too long.
 *
 * @returns for example `Ünï` for `fitBytes("Ünïcödé", 5)`
 */
export function fitBytes(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  // Created on first use, because that takes milliseconds.
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const whole = Array.from(graphemes.segment(text), (part) => part.segment);
  const cut = takeBytes(whole, maxBytes) || takeBytes(Array.from(text), maxBytes);
  return cut.trimEnd();
}

/** Returns the length of a text in bytes of UTF-8, for example 3 for `é!`. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

function takeBytes(parts: readonly string[], maxBytes: number): string {
  let taken = "";
  let left = maxBytes;
  for (const part of parts) {
    left -= byteLength(part);
    if (left < 0) break;
    taken += part;
  }
  return taken;
}
