import { byteLength, fitBytes } from "./fit-bytes.ts";

/** Token Metadata's maximum bytes of UTF-8 (https://developers.metaplex.com/token-metadata). */
export const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;

const SPACE = "[\\p{White_Space}\\u2800]";
/** What a reader cannot see. Joiners and selectors are allowed where a script needs them. */
const UNREADABLE = new RegExp(
  [
    "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\ufff9-\\ufffb]",
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

/** Returns the name that goes on chain, where it can never change. */
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
