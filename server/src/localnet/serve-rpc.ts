import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import { explainTakenPort, hostFilter, isLoopback, ownHosts } from "../base/loopback.ts";
import { type ChainTerms, LocalChain } from "./chain.ts";
import { loadPrograms } from "./programs.ts";
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

/**
 * Serves a chain with the cached programs until `stop`.
 * @throws {Error} a file is not a program, a port is taken, or another process has the ledger open
 */
export async function runLocalnet({
  clock,
  hostname = "127.0.0.1",
  port,
  ledgerPath,
  terms,
  programsFolder,
  writeGenesis,
  print,
}: {
  readonly clock: Clock;
  readonly hostname?: string;
  readonly port: number;
  /** The ledger's file, or ":memory:" for a chain that is not stored. */
  readonly ledgerPath: string;
  readonly terms?: ChainTerms;
  readonly programsFolder: string;
  /** Writes missing accounts that a real cluster has. */
  readonly writeGenesis?: (chain: LocalChain) => Promise<void>;
  readonly print: (line: string) => void;
}): Promise<ServedLocalnet> {
  const { programs, missing } = loadPrograms(programsFolder);
  if (ledgerPath !== ":memory:") mkdirSync(dirname(ledgerPath), { recursive: true });
  const chain = LocalChain.open({ ...terms, ledgerPath, clock, programs });
  let served: ServedLocalnet;
  try {
    await writeGenesis?.(chain);
    const onFault = (error: unknown) =>
      print(`fault: ${error instanceof Error ? error.message : error}`);
    served = serveLocalnet(chain, { hostname, port, onFault });
  } catch (error) {
    chain.close();
    throw error;
  }
  if (!isLoopback(hostname)) {
    print(`Other machines can reach ${hostname}: each of them can mint SOL and send anything`);
  }
  print(`JSON-RPC on ${served.url}`);
  print(`websocket on ${served.websocketUrl}`);
  for (const { programId, bytes } of programs) {
    print(`program ${programId.toBase58()}, ${bytes.length} bytes`);
  }
  if (missing.length > 0) {
    print(`missing in ${programsFolder}: ${missing.join(", ")}`);
    print("get them with: tokend localnet pull --rpc <URL of a cluster>");
  }
  return {
    ...served,
    stop: async () => {
      await served.stop();
      chain.close();
    },
  };
}
