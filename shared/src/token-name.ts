import { byteLength, fitBytes } from "./fit-bytes.ts";

/**
 * Bytes of UTF-8 of a name and of a symbol that go on chain. Token Metadata stores no more
 * (https://developers.metaplex.com/token-metadata); the metadata document has the whole name.
 */
export const NAME_BYTES = 32;
const SYMBOL_BYTES = 10;

/** Control characters, marks that change the direction of writing, and line separators. */
const NEVER_IN_A_NAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
/** A text that shows nothing. The code points at the end are blank too, but no property says so. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}]*$/u;

/** A token's names: the whole one, and the one that its agent has chosen for the chain. */
interface Names {
  readonly name: string;
  readonly onChainName?: string | null | undefined;
}

/** @returns the name that goes on chain, where it can never change: else the beginning of the name */
export function onChainNameOf({ name, onChainName }: Names): string {
  return onChainName ?? fitBytes(name, NAME_BYTES);
}

/**
 * @returns how the name would be cut, if only a part of it goes on chain and its agent has chosen no other
 * one; null otherwise
 */
export function shorteningOf(names: Names): string | null {
  if (onChainNameOf(names) === (names.onChainName ?? names.name)) return null;
  return `The name has more than the ${NAME_BYTES} bytes that go on chain, where it would be "${onChainNameOf(names)}"`;
}

/** @returns the symbol that goes on chain for a ticker, for example `WIF` */
export function onChainSymbol(ticker: string): string {
  return fitBytes(ticker, SYMBOL_BYTES);
}

/** @returns whether a text is visible and unambiguous as a token's name, on chain too */
export function isTokenName(name: string): boolean {
  return !NEVER_IN_A_NAME.test(name) && !BLANK.test(fitBytes(name, NAME_BYTES));
}

/** @returns whether a text can be a token's name on chain as it is */
export function isOnChainName(name: string): boolean {
  return byteLength(name) <= NAME_BYTES && isTokenName(name);
}
