import { Elysia } from "elysia";
import { ServiceError } from "../base/service-error.ts";

/**
 * Refuses requests with more than one `Host` header (RFC 9112, section 3.2): a proxy in front of the
 * server may use another of them than the server. Bun joins them with commas, and answers 400
 * itself if there is none.
 */
export function singleHostPlugin() {
  return new Elysia({ name: "single-host" }).onRequest(({ request, set }) => {
    if (request.headers.get("host")?.includes(",")) {
      // Client and server may also disagree about the next request on this connection.
      set.headers.connection = "close";
      throw new ServiceError("ambiguous_host", {
        details: [{ field: "Host", message: "must be sent exactly once" }],
      });
    }
  });
}
