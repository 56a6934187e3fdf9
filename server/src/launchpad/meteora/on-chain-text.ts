/** Most bytes of UTF-8 that Token Metadata stores. Source: https://developers.metaplex.com/token-metadata */
export const MAX_URI_BYTES = 200;

/**
 * The address of a token's metadata document.
 *
 * @param publicUrl the server's public URL, with or without a slash at its end
 * @example metadataUri("https://t.example", mint) // "https://t.example/metadata/<mint>.json"
 */
export function metadataUri(publicUrl: string, mint: string): string {
  return `${publicUrl.replace(/\/+$/, "")}/metadata/${mint}.json`;
}
