import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ConnectionOptions } from "../solana/connection.ts";
import type { RpcNodes } from "../solana/rpc-nodes.ts";

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
  let ofNodes: Counter<"node" | "outcome"> | null = null;
  return (method, outcome, milliseconds, node) => {
    requests.inc({ method, outcome });
    duration.observe({ method }, milliseconds / 1000);
    if (node === undefined) return;
    ofNodes ??= new Counter({
      name: "tokend_rpc_node_requests_total",
      help: "JSON-RPC requests to each of several nodes",
      labelNames: ["node", "outcome"],
      registers: [registry],
    });
    ofNodes.inc({ node, outcome });
  };
}

/** Shows which of several nodes are used, and how far each is behind. */
export function nodeMetrics(registry: Registry, nodes: Pick<RpcNodes, "reports">): void {
  new Gauge({
    name: "tokend_rpc_node_usable",
    help: "1 while the node is asked, 0 while it is left out",
    labelNames: ["node"],
    registers: [registry],
    collect() {
      for (const { name, problem } of nodes.reports()) {
        this.set({ node: name }, problem === null ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: "tokend_rpc_node_lag_slots",
    help: "Slots behind the best node; NaN if the node does not answer",
    labelNames: ["node"],
    registers: [registry],
    collect() {
      for (const { name, lag } of nodes.reports()) this.set({ node: name }, lag ?? Number.NaN);
    },
  });
}
