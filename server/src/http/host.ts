import { Elysia } from "elysia";
import { isForHost } from "../base/loopback.ts";
import { ServiceError } from "../base/service-error.ts";
import { validationError } from "./validation.ts";

/**
 * Refuses requests with more than one `Host` header (RFC 9112, section 3.2): a proxy in front of the
 * server may use another of them than the server. Bun joins them with commas, and answers 400
 * itself if there is none. Refuses also those for other hosts than these; null allows any; and those
 * with U+0000 in their URL, which no id holds and no database stores.
 */
export function hostPlugin(hosts: readonly string[] | null) {
  return new Elysia({ name: "host" }).onRequest(({ request, set }) => {
    if (request.headers.get("host")?.includes(",")) {
      // Client and server may also disagree about the next request on this connection.
      set.headers.connection = "close";
      throw new ServiceError("ambiguous_host", {
        details: [{ field: "Host", message: "must be sent exactly once" }],
      });
    }
    if (request.url.includes("%00")) throw validationError([nulIn(new URL(request.url))]);
    if (!isForHost(request, hosts)) throw new ServiceError("foreign_host", { advice: FOREIGN });
  });
}

function nulIn({ searchParams }: URL) {
  const found = [...searchParams].find((parameter) => parameter.join("").includes("\0"));
  return { field: found?.[0] ?? "path", message: "must not hold U+0000" };
}

const FOREIGN =
  "This sandbox answers requests for localhost, 127.0.0.1, [::1] and the host of its PUBLIC_URL alone, so that no web page reaches it under a name of its own. To use another name, set PUBLIC_URL.";
