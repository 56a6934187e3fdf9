/** Token Metadata's maximum bytes of UTF-8 (https://developers.metaplex.com/token-metadata). */
export const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;

const SPACE = "[\\p{White_Space}\\u2800]";
/** What a reader cannot see. Joiners and selectors are allowed where a script needs them. */
const UNREADABLE = new RegExp(
  [
    "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\ufff9-\\ufffb\\ufffd]",
    // Letters and signs without a visible shape, which no Unicode property covers.
    "[\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}]",
    "(?!\\p{Join_Control}|\\p{Variation_Selector})\\p{Default_Ignorable_Code_Point}",
    "(?<![\\p{L}\\p{M}\\p{ExtPict}\\p{EMod}])\\p{Join_Control}",
    "\\p{Join_Control}(?![\\p{L}\\p{M}\\p{ExtPict}])",
    "(?<![\\p{L}\\p{S}\\p{Emoji}])\\p{Variation_Selector}",
    "(?<![\\p{L}\\p{N}\\p{P}\\p{S}\\p{M}\\p{Join_Control}])\\p{M}",
    `^${SPACE}|${SPACE}$|^$`,
  ].join("|"),
  "u",
);
/** Flags of regions, such as that of Wales: a black flag, then tags. */
const FLAG_TAGS = /(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/gu;

interface Names {
  readonly name: string;
  readonly onChainName?: string | null | undefined;
}

export function onChainNameOf({ name, onChainName }: Names): string {
  return onChainName ?? fitBytes(name, NAME_BYTES);
}

/** Returns how the chain would shorten the name; null if it fits. */
export function shorteningOf(names: Names): string | null {
  if (onChainNameOf(names) === (names.onChainName ?? names.name)) return null;
  return `The name has more than the ${NAME_BYTES} bytes that go on chain, where it would be "${onChainNameOf(names)}"`;
}

export function onChainSymbol(ticker: string): string {
  return fitBytes(ticker, SYMBOL_BYTES);
}

/** Returns whether people can read a token's name, both in full and shortened for the chain. */
export function isTokenName(name: string): boolean {
  return [name, fitBytes(name, NAME_BYTES)].every(
    (text) => !UNREADABLE.test(text.replace(FLAG_TAGS, "")),
  );
}

export function isOnChainName(name: string): boolean {
  return byteLength(name) <= NAME_BYTES && isTokenName(name);
}

const encoder = new TextEncoder();
let graphemes: Intl.Segmenter | undefined;

/**
 * Returns the longest beginning that fits. It ends between visible characters, or between code
 * points if the first character is too long.
 * @returns for example `Ünï` for `fitBytes("Ünïcödé", 5)`
 */
export function fitBytes(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const whole = Array.from(graphemes.segment(text), (part) => part.segment);
  const cut = takeBytes(whole, maxBytes) || takeBytes(Array.from(text), maxBytes);
  return cut.trimEnd();
}

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
