import { expect, setDefaultTimeout, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const WALLETS = 12;
const ROUNDS = 40;

const CHECK = { name: "Token", ticker: "TOKEN", payer: "agent" };

test.each([
  ["balances", { answers: 100, calls: 2 }, "wallet", {}],
  [
    "checks of launches",
    { answers: 40, calls: 10 },
    "tokens/launch/check",
    {
      method: "POST",
      body: JSON.stringify(CHECK),
      headers: { "content-type": "application/json" },
    },
  ],
] as const)(
  "twelve wallets of one address cause by %s no more RPC requests than one may, and another address is served",
  async (_, { answers, calls }, path, request) => {
    using folder = tempDir();
    await using node = startTestNode();
    const { env } = clusterSettings(folder.path, node.url);
    const settings = { ...env, TRUST_PROXY: "true", LAUNCH_PAYER: "either" };
    await using server = await startTestServer(settings);
    const ask = (agent: Agent, address: string) => {
      const from = { authorization: `Bearer ${agent.token}`, "x-forwarded-for": address };
      const headers = { ...("headers" in request && request.headers), ...from };
      return fetch(`${server.url}/api/v1/${path}`, { ...request, headers }).then(
        ({ status }) => status,
      );
    };
    const agents = await Promise.all(Array.from({ length: WALLETS }, () => Agent.signedIn(server)));
    const before = node.rpc.calls.length;
    const statuses: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      statuses.push(...(await Promise.all(agents.map((agent) => ask(agent, "192.0.2.1")))));
    }
    const answered = statuses.filter((status) => status === 200).length;
    // 300 in ten seconds of the server's clock; a request that has begun is not cut off.
    expect(answered).toBeGreaterThan(answers);
    expect(node.rpc.calls.length - before).toBeLessThan(300 + calls * WALLETS + 50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - answered);
    expect(await ask(agents[0] as Agent, "198.51.100.7")).toBe(200);
  },
);
