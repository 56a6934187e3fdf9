import { explainListening, hostFilter, ownHosts } from "../base/loopback.ts";
import type { LocalChain } from "./chain.ts";
import { createRpcHandler, MAX_BODY_BYTES, type OnFault } from "./rpc/handler.ts";

export interface ServedLocalnet {
  readonly url: string;
  stop(): Promise<void>;
}

const FOREIGN_HOST =
  "On loopback this chain answers only requests for localhost, 127.0.0.1 and [::1], so that no web page reaches it under a name of its own\n";

/** Serves a chain's JSON-RPC over HTTP. @throws {Error} the port is taken */
export function serveLocalnet(
  chain: LocalChain,
  {
    hostname = "127.0.0.1",
    port,
    onFault = () => {},
  }: {
    /** Default: loopback, because any client that reaches the port controls the whole chain. */
    readonly hostname?: string;
    /** 0 chooses any free port. Solana's default is 8899. */
    readonly port: number;
    readonly onFault?: OnFault;
  },
): ServedLocalnet {
  const handle = createRpcHandler(chain, onFault);
  const isForUs = hostFilter(ownHosts(hostname));
  const serve = () =>
    Bun.serve({
      hostname,
      port,
      reusePort: false,
      maxRequestBodySize: MAX_BODY_BYTES,
      fetch: (request) =>
        isForUs(request) ? handle(request) : new Response(FOREIGN_HOST, { status: 421 }),
    });
  const remedy = "choose another with --port";
  const server = explainListening(serve, { hostname, port, remedy });
  return { url: server.url.origin, stop: () => server.stop(true) };
}
