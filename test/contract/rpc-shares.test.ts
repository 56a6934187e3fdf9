import { expect, setDefaultTimeout, test } from "bun:test";
import { systemClock } from "../../server/src/base/clock.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { createRpcHandler } from "../../server/src/localnet/rpc/handler.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const WALLETS = 12;
const ROUNDS = 100;

test("twelve wallets of one address cause no more RPC requests than one may, and another address is served", async () => {
  using folder = tempDir();
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock: systemClock });
  const handle = createRpcHandler(chain);
  let asked = 0;
  const node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      asked++;
      return handle(request);
    },
  });
  try {
    const { env } = clusterSettings(folder.path, node.url.href);
    await using server = await startTestServer({ ...env, TRUST_PROXY: "true" });
    const balance = (agent: Agent, address: string) =>
      fetch(`${server.url}/api/v1/wallet`, {
        headers: { authorization: `Bearer ${agent.token}`, "x-forwarded-for": address },
      }).then(({ status }) => status);
    const agents = await Promise.all(Array.from({ length: WALLETS }, () => Agent.signedIn(server)));
    const before = asked;
    const statuses: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      statuses.push(...(await Promise.all(agents.map((agent) => balance(agent, "192.0.2.1")))));
    }
    const answered = statuses.filter((status) => status === 200).length;
    // 300 in ten seconds of the server's clock; a request that has begun is not cut off.
    expect(answered).toBeGreaterThan(100);
    expect(asked - before).toBeLessThan(300 + 2 * WALLETS + 50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - answered);
    expect(await balance(agents[0] as Agent, "198.51.100.7")).toBe(200);
  } finally {
    await node.stop(true);
    chain.close();
  }
});
