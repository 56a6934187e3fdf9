const encoder = new TextEncoder();
let graphemes: Intl.Segmenter | undefined;

/**
 * The longest beginning that fits, between visible characters, or code points if the first is too
 * long.
 *
 * @returns for example `Ünï` for `fitBytes("Ünïcödé", 5)`
 */
export function fitBytes(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  // Made on first use, because that takes milliseconds.
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const whole = Array.from(graphemes.segment(text), (part) => part.segment);
  const cut = takeBytes(whole, maxBytes) || takeBytes(Array.from(text), maxBytes);
  return cut.trimEnd();
}

/** @returns the bytes of a text in UTF-8, for example 3 for `é!` */
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
