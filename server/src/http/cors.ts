import { Elysia } from "elysia";

/** What the contract's requests need beyond what every page may send. */
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key",
  /** Seconds; browsers ask again after two hours at the latest. */
  "access-control-max-age": "7200",
} as const;

/**
 * Lets pages of other origins call the API (the Fetch standard's CORS protocol). Bearer tokens sign in
 * and cookies do not, so no page gets leave to send cookies. Elysia's own plugin adds an OPTIONS route
 * for every path, by which every unknown path would be answered 405.
 *
 * @param origins those allowed, for example `https://app.example`; `*` for all; none adds nothing
 */
export function corsPlugin(origins: readonly string[]) {
  const plugin = new Elysia({ name: "cors" });
  if (origins.length === 0) return plugin;
  const allowsAll = origins.includes("*");
  const allowed = new Set(origins);
  return plugin.onRequest(({ request, set }) => {
    const origin = request.headers.get("origin");
    // A cache must not give one origin's answer to another.
    if (!allowsAll) set.headers.vary = "Origin";
    if (origin === null || !(allowsAll || allowed.has(origin))) return;
    set.headers["access-control-allow-origin"] = allowsAll ? "*" : origin;
    set.headers["access-control-expose-headers"] = "x-request-id, retry-after";
    const isPreflight =
      request.method === "OPTIONS" && request.headers.has("access-control-request-method");
    if (!isPreflight) return;
    Object.assign(set.headers, PREFLIGHT_HEADERS);
    return new Response(null, { status: 204 });
  });
}
