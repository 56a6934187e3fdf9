import { systemClock } from "../../server/src/base/clock.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { createRpcHandler } from "../../server/src/localnet/rpc/handler.ts";

/** A node of a cluster of its own, without Meteora's programs, in this process. */
export interface TestNode extends AsyncDisposable {
  readonly url: string;
  readonly genesisHash: string;
  /** Every method that was called, in order. */
  readonly methods: readonly string[];
  /** Answers the next `times` requests with an error. */
  failNext(times: number): void;
}

/** Starts a node whose ledger is in memory. */
export function startTestNode(): TestNode {
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock: systemClock });
  const handle = createRpcHandler(chain);
  const methods: string[] = [];
  let failures = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (failures-- > 0) return new Response("away", { status: 503 });
      const text = await request.text();
      methods.push(String((JSON.parse(text) as { method?: unknown }).method));
      return handle(
        new Request(request.url, { method: "POST", headers: request.headers, body: text }),
      );
    },
  });
  return {
    url: server.url.origin,
    genesisHash: chain.genesisHash(),
    methods,
    failNext: (times) => {
      failures = times;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      chain.close();
    },
  };
}
