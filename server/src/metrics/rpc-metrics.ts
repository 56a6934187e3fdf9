import { Counter, Histogram, type Registry } from "prom-client";
import type { ConnectionOptions } from "../solana/connection.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Counts the requests to the chain, and how long they take, by JSON-RPC method. */
export function rpcMetrics(registry: Registry): NonNullable<ConnectionOptions["onRpc"]> {
  const requests = new Counter({
    name: "tokend_rpc_requests_total",
    help: "JSON-RPC requests to the chain; outcome rpc_error is an answer as well",
    labelNames: ["method", "outcome"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "tokend_rpc_request_duration_seconds",
    help: "Time from a JSON-RPC request to its answer or its failure",
    labelNames: ["method"],
    buckets: SECONDS,
    registers: [registry],
  });
  return (method, outcome, milliseconds) => {
    requests.inc({ method, outcome });
    duration.observe({ method }, milliseconds / 1000);
  };
}
