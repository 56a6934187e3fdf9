import { Elysia } from "elysia";
import { hostFilter } from "../base/loopback.ts";
import { ServiceError } from "../base/service-error.ts";
import { ANSWER_HEADERS, corsAnswers } from "./headers.ts";
import type { RequestWatch } from "./observe.ts";
import { validationError } from "./validation.ts";

export interface RequestsOptions {
  /** Receives the requests that succeed; `errorsPlugin` reports the others. */
  readonly watch: RequestWatch;
  /** Origins whose pages may call the API. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** The hosts in URLs for which the server answers. Default: any. */
  readonly hosts?: readonly string[] | null;
}

/**
 * What happens to every request: its answer gets {@link ANSWER_HEADERS} and a unique `X-Request-Id`,
 * which its log line has too, pages of other origins are answered by CORS, and the watch learns of it.
 * Elysia's own CORS plugin adds an OPTIONS route for every path, by which every unknown path would be
 * answered 405.
 *
 * Each hook destructures what it uses: if a hook takes the whole context, Elysia assumes that it
 * uses the body, and reads that before the route does. Each hook has braces: Elysia takes an arrow
 * function without them that only calls another for asynchronous, and awaits it at every request.
 */
export function requestsPlugin({ watch, corsOrigins = [], hosts = null }: RequestsOptions) {
  const isForUs = hostFilter(hosts);
  const corsAnswer = corsOrigins.length > 0 ? corsAnswers(corsOrigins) : null;
  return new Elysia({ name: "requests" })
    .decorate("wallet", null as string | null)
    .onRequest(({ request, set }) => {
      const cors = corsAnswer?.(request);
      set.headers = { "x-request-id": crypto.randomUUID(), ...ANSWER_HEADERS, ...cors?.headers };
      if (cors?.isPreflight) return new Response(null, { status: 204 });
      watch.begin(set);
      refuseHost(request, set.headers, isForUs);
      return undefined;
    })
    .onAfterHandle({ as: "global" }, ({ request, set, route, params, wallet, responseValue }) => {
      const status = responseValue instanceof Response ? responseValue.status : set.status;
      const context = { request, set, route, params, wallet };
      watch.end(context, Number(status ?? 200), responseValue, null);
    });
}

/**
 * Refuses requests with more than one `Host` header (RFC 9112, section 3.2): a proxy in front of the
 * server may use another of them than the server. Bun joins them with commas, and answers 400
 * itself if there is none. Refuses also requests for other hosts, and those with U+0000 in
 * their URL, which no id holds and no database stores.
 *
 * @throws {ServiceError} 400, or 421 for another host
 */
function refuseHost(
  request: Request,
  headers: Record<string, unknown>,
  isForUs: ReturnType<typeof hostFilter>,
): void {
  if (request.headers.get("host")?.includes(",")) {
    // Client and server may also disagree about the next request on this connection.
    headers.connection = "close";
    throw new ServiceError("ambiguous_host", {
      details: [{ field: "Host", message: "must be sent exactly once" }],
    });
  }
  if (request.url.includes("%00")) {
    const query = [...new URL(request.url).searchParams];
    const found = query.find((parameter) => parameter.join("").includes("\0"));
    throw validationError([{ field: found?.[0] ?? "path", message: "must not hold U+0000" }]);
  }
  if (!isForUs(request)) throw new ServiceError("foreign_host", { advice: FOREIGN });
}

const FOREIGN =
  "This sandbox answers requests for localhost, 127.0.0.1, [::1] and the host of its PUBLIC_URL alone, so that no web page reaches it under a name of its own. To use another name, set PUBLIC_URL.";
