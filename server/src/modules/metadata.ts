import { MetadataDocumentSchema } from "@tokenctl/shared/contract/token";
import { ServiceError } from "../base/service-error.ts";
import { endpoint } from "../http/endpoint.ts";
import { metadataDocument } from "../store/metadata-document.ts";
import type { Store } from "../store/store.ts";

/** A document never changes once its token is on chain. */
const FINAL = "public, max-age=31536000, immutable";
/** Until then its fees may. */
const NOT_FINAL = "public, max-age=30";

export function metadataEndpoints({ tokens }: Pick<Store, "tokens">) {
  return [
    endpoint({
      route: "GET /metadata/:file",
      auth: "none",
      id: "getMetadata",
      summary: "Read a token's metadata document",
      description:
        "Returns the document that the token's on-chain address leads to, in the fields of Metaplex' token standard.",
      params: {
        file: {
          description: "The token's mint address and `.json`",
          schema: { type: "string", pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}\\.json$" },
        },
      },
      tag: "Metadata",
      answer: MetadataDocumentSchema,
      errors: ["token_not_found", "database_unavailable"],
      async handle({ params, set }) {
        // Wallets and explorers read it from their own web pages.
        set.headers["access-control-allow-origin"] = "*";
        const mint = /^([1-9A-HJ-NP-Za-km-z]{32,44})\.json$/.exec(params.file)?.[1];
        const row = mint === undefined ? null : await tokens.metadata(mint);
        if (!row) throw new ServiceError("token_not_found");
        set.headers["cache-control"] = row.status === "success" ? FINAL : NOT_FINAL;
        return metadataDocument(row);
      },
    }),
  ];
}
