import { explainTakenPort, hostFilter, ownHosts } from "../base/loopback.ts";
import type { LocalChain } from "./chain.ts";
import { createRpcHandler, MAX_BODY_BYTES, type OnFault } from "./rpc/handler.ts";
import { Subscriptions } from "./rpc/subscriptions.ts";

export interface ServedLocalnet {
  readonly url: string;
  readonly websocketUrl: string;
  stop(): Promise<void>;
}

const FOREIGN_HOST =
  "On loopback this chain answers requests for localhost, 127.0.0.1 and [::1] alone, so that no web page reaches it under a name of its own\n";

/**
 * Serves a chain's JSON-RPC over HTTP and websocket. Solana tools expect the websocket one port
 * higher: unless `port` is 0, both ports serve both. @throws {Error} a port is taken
 */
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
  const subscriptions = new Subscriptions(chain, onFault);
  const serve = (at: number) =>
    Bun.serve({
      hostname,
      port: at,
      reusePort: false,
      maxRequestBodySize: MAX_BODY_BYTES,
      websocket: subscriptions.handler,
      fetch(request, server) {
        if (!isForUs(request)) return new Response(FOREIGN_HOST, { status: 421 });
        return server.upgrade(request) ? new Response(null) : handle(request);
      },
    });
  const remedy = "choose another with --port: it takes that one and the next";
  const listen = (at: number) => explainTakenPort(() => serve(at), { hostname, port: at, remedy });
  const first = listen(port);
  const servers = [first];
  if (port !== 0) {
    try {
      servers.push(listen(port + 1));
    } catch (error) {
      void first.stop(true);
      throw error;
    }
  }
  return {
    url: first.url.origin,
    websocketUrl: (servers.at(-1) ?? first).url.origin.replace("http:", "ws:"),
    async stop() {
      await Promise.all(servers.map((server) => server.stop(true)));
      subscriptions.close();
    },
  };
}
