import type { MetadataDocument, MetadataFile } from "@tokenctl/shared/types";
import type { TokenMetadata } from "./tokens.ts";

/** @returns the metadata document of a token, without the fields that have no value */
export function metadataDocument(row: TokenMetadata): MetadataDocument {
  const links = {
    ...(row.website !== null && { website: row.website }),
    ...(row.twitter !== null && { twitter: row.twitter }),
    ...(row.telegram !== null && { telegram: row.telegram }),
  };
  return {
    name: row.name,
    symbol: row.ticker,
    description: row.description ?? "",
    image: row.imageUrl ?? "",
    ...(row.website !== null && { external_url: row.website }),
    ...links,
    ...(Object.keys(links).length > 0 && { extensions: links }),
    properties: {
      category: "image",
      files: row.imageUrl === null ? [] : [fileOf(row.imageUrl)],
      creators: [{ address: row.wallet, share: 100 }],
    },
    creator: row.wallet,
    ...(row.poolTerms && { fees: row.poolTerms.fees }),
  };
}

function fileOf(uri: string): MetadataFile {
  const [, ending] = /\.(png|jpe?g|webp|gif|svg)(?:[?#].*)?$/i.exec(uri) ?? [];
  if (ending === undefined) return { uri };
  const type = ending.toLowerCase().replace("jpg", "jpeg").replace("svg", "svg+xml");
  return { uri, type: `image/${type}` };
}
