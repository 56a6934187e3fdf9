import { fitBytes } from "./fit-bytes.ts";

/**
 * Bytes of UTF-8 of a name that go on chain, where Token Metadata stores no more:
 * https://developers.metaplex.com/token-metadata. The whole name is in the metadata document.
 */
const ON_CHAIN_BYTES = 32;

/** Control characters, marks that turn the direction of writing around, and line separators. */
const NEVER_IN_A_NAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
/** A text of which nothing is seen. The two that no property of Unicode covers are empty shapes. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}]*$/u;

/** @returns the beginning of a token's name that goes on chain; what is there stays for ever */
export function onChainName(name: string): string {
  return fitBytes(name, ON_CHAIN_BYTES);
}

/** @returns whether a text can be told from others as a token's name, on chain too */
export function isTokenName(name: string): boolean {
  return !NEVER_IN_A_NAME.test(name) && !BLANK.test(onChainName(name));
}
