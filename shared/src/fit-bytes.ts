const encoder = new TextEncoder();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The longest beginning of a text that fits, cut between what a reader sees as characters, or
 * between code points where the first such character alone is too long.
 *
 * @param maxBytes of UTF-8
 * @example fitBytes("Ünïcödé", 5) // "Ünï"
 */
export function fitBytes(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  const whole = Array.from(graphemes.segment(text), (part) => part.segment);
  const cut = takeBytes(whole, maxBytes) || takeBytes(Array.from(text), maxBytes);
  return cut.trimEnd();
}

/** Bytes of a text in UTF-8. */
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
