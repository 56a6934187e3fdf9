import type { Server } from "bun";
import { explainTakenPort } from "../base/port-taken.ts";
import type { MetricsConfig } from "../config/config.ts";
import { ANSWER_HEADERS } from "../http/headers.ts";
import type { Metrics } from "./metrics.ts";

/** The content type of Prometheus' text format, version 0.0.4. */
const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/** On a port of its own, as the load is the operator's. @throws {Error} if it is taken */
export function serveMetrics(metrics: Metrics, { host, port }: MetricsConfig): Server<undefined> {
  const answer = (text: string, status: number) =>
    new Response(text, { status, headers: { ...ANSWER_HEADERS, "content-type": TEXT_FORMAT } });
  const serve = () =>
    Bun.serve({
      hostname: host,
      port,
      reusePort: false,
      development: false,
      // No request for metrics has a body.
      maxRequestBodySize: 1_024,
      routes: { "/metrics": { GET: async () => answer(await metrics.text(), 200) } },
      fetch: () => answer("Not found; see /metrics\n", 404),
      error: () => answer("The metrics cannot be read\n", 500),
    });
  const remedy = "set METRICS_PORT to another";
  return explainTakenPort(serve, { hostname: host, port, remedy });
}
