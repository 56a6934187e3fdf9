import { byteLength, fitBytes } from "./fit-bytes.ts";

/** Maximum bytes of UTF-8 of a name on chain, by Token Metadata (https://developers.metaplex.com/token-metadata). */
export const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;

/** Control characters, marks that change the direction of writing, and line separators. */
const NEVER_IN_A_NAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
/** An invisible text. No property covers the code points at the end. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}]*$/u;

interface Names {
  readonly name: string;
  readonly onChainName?: string | null | undefined;
}

/** @returns the name that goes on chain, where it can never change */
export function onChainNameOf({ name, onChainName }: Names): string {
  return onChainName ?? fitBytes(name, NAME_BYTES);
}

/** @returns how the name would be cut on chain; null if it would not */
export function shorteningOf(names: Names): string | null {
  if (onChainNameOf(names) === (names.onChainName ?? names.name)) return null;
  return `The name has more than the ${NAME_BYTES} bytes that go on chain, where it would be "${onChainNameOf(names)}"`;
}

export function onChainSymbol(ticker: string): string {
  return fitBytes(ticker, SYMBOL_BYTES);
}

/** @returns whether a token's name is visible and unambiguous, even when it is cut on chain */
export function isTokenName(name: string): boolean {
  return !NEVER_IN_A_NAME.test(name) && !BLANK.test(fitBytes(name, NAME_BYTES));
}

export function isOnChainName(name: string): boolean {
  return byteLength(name) <= NAME_BYTES && isTokenName(name);
}
