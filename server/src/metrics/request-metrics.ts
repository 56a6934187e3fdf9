import { Counter, Histogram, type Registry } from "prom-client";
import type { RequestObserver } from "../http/requests.ts";

/** Every other method gets the label `other`, so that clients cannot add series. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

const SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Counts requests, and how long their answers take, by route pattern. */
export function requestMetrics(registry: Registry): RequestObserver {
  const requests = new Counter({
    name: "tokend_http_requests_total",
    help: "Requests answered",
    labelNames: ["method", "route", "status"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "tokend_http_request_duration_seconds",
    help: "Time from a request's headers to its answer",
    labelNames: ["method", "route"],
    buckets: SECONDS,
    registers: [registry],
  });
  return (request) => {
    const method = METHODS.has(request.method) ? request.method : "other";
    const route = request.route ?? "none";
    requests.inc({ method, route, status: request.status });
    duration.observe({ method, route }, request.duration / 1000);
  };
}
