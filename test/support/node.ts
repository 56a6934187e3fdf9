import { systemClock } from "../../server/src/base/clock.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import type { ProgramBinary } from "../../server/src/localnet/programs.ts";
import { createRpcHandler } from "../../server/src/localnet/rpc/handler.ts";

export interface TestNode extends AsyncDisposable {
  readonly chain: LocalChain;
  readonly url: string;
  readonly genesisHash: string;
  readonly methods: readonly string[];
  /** Answers the next `times` requests with an error. */
  failNext(times: number): void;
}

/**
 * Starts a node whose ledger is in memory.
 *
 * @param programs loaded before those of the ledger. Default: none
 */
export function startTestNode(programs: readonly ProgramBinary[] = []): TestNode {
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock: systemClock, programs });
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
    chain,
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
