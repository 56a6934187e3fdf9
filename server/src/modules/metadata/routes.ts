import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import { operation } from "../../http/openapi.ts";
import type { MetadataService } from "./service.ts";

/** A document never changes once its token is on chain. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

const DocumentSchema = Type.Object({
  name: Type.String(),
  symbol: Type.String(),
  description: Type.String(),
  image: Type.String(),
});

export function metadataRoutes(metadata: MetadataService) {
  return new Elysia().get(
    "/metadata/:file",
    async ({ params, set }) => {
      const mint = /^([1-9A-HJ-NP-Za-km-z]{32,44})\.json$/.exec(params.file)?.[1];
      if (mint === undefined) throw new ServiceError("token_not_found");
      const document = await metadata.get(mint);
      set.headers["cache-control"] = CACHE_CONTROL;
      // Wallets and explorers read it from their own web pages.
      set.headers["access-control-allow-origin"] = "*";
      return document;
    },
    operation({
      summary: "Read a token's metadata document; the file is its mint address and `.json`",
      tag: "Metadata",
      isPublic: true,
      answer: DocumentSchema,
      errors: ["token_not_found"],
    }),
  );
}
