import { expect, setDefaultTimeout, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const WALLETS = 12;
const ROUNDS = 40;

test("twelve wallets of one address cause no more RPC requests than one may, and another address is served", async () => {
  using folder = tempDir();
  await using node = startTestNode();
  const { env } = clusterSettings(folder.path, node.url);
  await using server = await startTestServer({ ...env, TRUST_PROXY: "true" });
  const balance = (agent: Agent, address: string) =>
    fetch(`${server.url}/api/v1/wallet`, {
      headers: { authorization: `Bearer ${agent.token}`, "x-forwarded-for": address },
    }).then(({ status }) => status);
  const agents = await Promise.all(Array.from({ length: WALLETS }, () => Agent.signedIn(server)));
  const before = node.rpc.calls.length;
  const statuses: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    statuses.push(...(await Promise.all(agents.map((agent) => balance(agent, "192.0.2.1")))));
  }
  const answered = statuses.filter((status) => status === 200).length;
  // 300 in ten seconds of the server's clock; a request that has begun is not cut off.
  expect(answered).toBeGreaterThan(100);
  expect(node.rpc.calls.length - before).toBeLessThan(300 + 2 * WALLETS + 50);
  expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - answered);
  expect(await balance(agents[0] as Agent, "198.51.100.7")).toBe(200);
});
