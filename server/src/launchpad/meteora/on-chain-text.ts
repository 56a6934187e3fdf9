/** Most bytes of UTF-8 that Token Metadata stores: https://developers.metaplex.com/token-metadata. */
export const MAX_SYMBOL_BYTES = 10;
export const MAX_URI_BYTES = 200;

/**
 * Where a token's metadata document is found.
 *
 * @param publicUrl the server's own address, with or without a slash at its end
 * @example metadataUri("https://t.example", mint) // "https://t.example/metadata/<mint>.json"
 */
export function metadataUri(publicUrl: string, mint: string): string {
  return `${publicUrl.replace(/\/+$/, "")}/metadata/${mint}.json`;
}
