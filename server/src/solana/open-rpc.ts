import type { Connection } from "@solana/web3.js";
import { type ConnectionOptions, createConnection } from "./connection.ts";
import { RpcFailover } from "./rpc-failover.ts";
import { RpcNodes, type RpcNodesOptions } from "./rpc-nodes.ts";

/** The cluster's JSON-RPC, behind one node or several. */
export interface Rpc extends Disposable {
  /** Each request has to be answered in time, and waits for `before`. */
  connect(options?: Pick<ConnectionOptions, "timeoutMs" | "before">): Connection;
  /** Null if there is only one. */
  readonly nodes: RpcNodes | null;
}

/** Opens the RPC. One node is asked directly; several are watched until it is disposed of. */
export function openRpc(urls: readonly string[], options: RpcNodesOptions = {}): Rpc {
  const [only = "", ...others] = urls;
  if (others.length > 0) {
    const nodes = new RpcNodes(urls, options);
    const failover = new RpcFailover(nodes);
    return {
      connect: (connectOptions) => failover.connect(connectOptions),
      nodes,
      [Symbol.dispose]: () => nodes.close(),
    };
  }
  const { fetch, onRpc } = options;
  const carrier = { fetch, onRpc };
  return {
    connect: (connectOptions) => createConnection(only, { ...carrier, ...connectOptions }),
    nodes: null,
    [Symbol.dispose]: () => {},
  };
}
