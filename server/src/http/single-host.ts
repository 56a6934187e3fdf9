import { errorTexts } from "@tokenctl/shared/errors";
import { Elysia } from "elysia";
import { ServiceError } from "../base/service-error.ts";

/**
 * Refuses requests with more than one `Host` header (RFC 9112, section 3.2), for a proxy in front
 * may go by another one than we do. Bun joins them with commas; it answers 400 by itself where
 * there is none.
 */
export function singleHostPlugin() {
  return new Elysia({ name: "single-host" }).onRequest(({ request, set }) => {
    if (request.headers.get("host")?.includes(",")) {
      // Sender and server may not agree on what else is on this connection either.
      set.headers.connection = "close";
      throw new ServiceError("bad_request", errorTexts.validationFailed, {
        details: [{ field: "Host", message: "must be there once" }],
        code: "ambiguous_host",
      });
    }
  });
}
