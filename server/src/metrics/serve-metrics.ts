import type { Server } from "bun";
import type { MetricsConfig } from "../config.ts";
import type { Metrics } from "./metrics.ts";

/** The content type of Prometheus' text format, version 0.0.4. */
const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Serves `GET /metrics` on a port of its own: it tells of the wallet and of the load, which is the
 * operator's business.
 */
export function serveMetrics(metrics: Metrics, { host, port }: MetricsConfig): Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    development: false,
    routes: {
      "/metrics": {
        GET: async () =>
          new Response(await metrics.text(), { headers: { "content-type": TEXT_FORMAT } }),
      },
    },
    fetch: () => new Response("Not found; see /metrics\n", { status: 404 }),
    // What cannot be read now is not worth the server's life.
    error: () => new Response("The metrics cannot be read\n", { status: 500 }),
  });
}
