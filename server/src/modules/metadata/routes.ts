import { errorTexts } from "@tokenctl/shared/errors";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import type { MetadataService } from "./service.ts";

/** A document never changes once its token is on chain. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

export function metadataRoutes(metadata: MetadataService) {
  return new Elysia().get("/metadata/:file", ({ params, set }) => {
    const mint = /^([1-9A-HJ-NP-Za-km-z]{32,44})\.json$/.exec(params.file)?.[1];
    if (mint === undefined) throw new ServiceError("not_found", errorTexts.tokenNotFound);
    const document = metadata.get(mint);
    set.headers["cache-control"] = CACHE_CONTROL;
    // Wallets and explorers read it from their own web pages.
    set.headers["access-control-allow-origin"] = "*";
    return document;
  });
}
