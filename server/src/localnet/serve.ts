import type { LocalChain } from "./chain.ts";
import { createRpcHandler, MAX_BODY_BYTES } from "./rpc/handler.ts";

export interface ServeOptions {
  /** Loopback by default: whoever reaches the port can take everything on this chain. */
  readonly hostname?: string;
  /** 0 for any that is free. Solana's own is 8899. */
  readonly port: number;
}

export interface ServedLocalnet {
  readonly url: string;
  /** Stops answering. Leaves the chain open. */
  stop(): Promise<void>;
}

/** Serves a chain's JSON-RPC on a port. */
export function serveLocalnet(
  chain: LocalChain,
  { hostname = "127.0.0.1", port }: ServeOptions,
): ServedLocalnet {
  const server = Bun.serve({
    hostname,
    port,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: createRpcHandler(chain),
  });
  return { url: server.url.origin, stop: () => server.stop(true) };
}
