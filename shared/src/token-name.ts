import { fitBytes } from "./fit-bytes.ts";

/**
 * Bytes of UTF-8 of a name and of a symbol that go on chain. Token Metadata stores no more
 * (https://developers.metaplex.com/token-metadata); the metadata document has the whole name.
 */
const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;

/** Control characters, marks that change the direction of writing, and line separators. */
const NEVER_IN_A_NAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
/** A text that shows nothing. The code points at the end are blank too, but no property says so. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}]*$/u;

/** @returns the beginning of a token's name that goes on chain, where it can never change */
export function onChainName(name: string): string {
  return fitBytes(name, NAME_BYTES);
}

/** @returns the symbol that goes on chain for a ticker, for example `WIF` */
export function onChainSymbol(ticker: string): string {
  return fitBytes(ticker, SYMBOL_BYTES);
}

/** @returns whether a text is visible and unambiguous as a token's name, on chain too */
export function isTokenName(name: string): boolean {
  return !NEVER_IN_A_NAME.test(name) && !BLANK.test(onChainName(name));
}
