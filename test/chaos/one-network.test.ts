import { expect, setDefaultTimeout, test } from "bun:test";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { adminJson } from "../support/admin.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { Cluster } from "./cluster.ts";
import { inTurns } from "./in-turns.ts";
import { figures, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 900_000));

const SOL = 1e9;
const DAY_MS = 86_400_000;
const WALLETS = scale(500, 10_000);
/** All of one /48. */
const ADDRESSES = scale(50, 1_000);

describeMeteora("ten wallets behind each /64 of one /48", () => {
  test("get at most a tenth of a day's budget, on each day, and others launch at once", async () => {
    await using cluster = await Cluster.start(1);
    const { publicKey, env } = await cluster.launchWallet(10 * SOL);
    // README's settings: an empty variable counts as not set.
    const defaults = { MAX_LAUNCHES_PER_ADDRESS: "", MAX_QUEUE: "", NETWORK_SHARE: "" };
    await using server = await startTestServer({
      ...env,
      ...defaults,
      RPC_URL: cluster.url,
      MAX_DAILY_SPEND_SOL: "1",
      TRUST_PROXY: "true",
    });
    // A launch that is put off waits on this clock.
    const flow = setInterval(() => server.clock.advance(20), 20);
    using _ = { [Symbol.dispose]: () => clearInterval(flow) };
    const taken = async () => (10 * SOL - (await cluster.chain.getBalance(publicKey))) / SOL;
    const attackers = await inTurns(WALLETS, () => Agent.signedIn(server));

    for (const day of [1, 2]) {
      const before = await taken();
      const startedAt = performance.now();
      const answers = await inTurns(WALLETS, async (n) => {
        const [attacker] = attackers.slice(n) as [Agent];
        if (day > 1) await attacker.signIn();
        const address = `2001:db8:0:${(n % ADDRESSES).toString(16)}::1`;
        return (await launchFrom(attacker, `D${day}N${n}`, address)).status;
      });
      const seconds = (performance.now() - startedAt) / 1_000;
      const honest = await Agent.signedIn(server);
      const { status } = await honestLaunch(honest, `HONEST${day}`);
      await untilQuiet(server);
      const ofHonest = (await taken()) - before;
      const accepted = answers.filter((answer) => answer === 200).length;
      figures("one network at the day's budget", {
        day,
        requests: WALLETS,
        accepted,
        seconds,
        takenSol: ofHonest,
        honest: status,
      });
      expect(status).toBe("success");
      expect(accepted).toBeGreaterThan(0);
      // The honest agent's launch costs as much as one of the attack's.
      expect((ofHonest * accepted) / (accepted + 1)).toBeLessThanOrEqual(0.1);
      expect((await adminJson(server.config.dataDir, "status")).queue.depth).toBe(0);
      server.clock.advance(DAY_MS);
    }
  });
});

const launchFrom = (agent: Agent, ticker: string, address: string) =>
  agent.post("/api/v1/tokens/launch", { name: ticker, ticker }, { "x-forwarded-for": address });

async function honestLaunch(agent: Agent, ticker: string) {
  const { status, body } = await launchFrom(agent, ticker, "192.0.2.1");
  expect(status).toBe(200);
  return agent.untilEnded((body as { eventId: string }).eventId);
}

async function untilQuiet({ config }: TestServer): Promise<void> {
  while ((await adminJson(config.dataDir, "status")).queue.depth > 0) await Bun.sleep(50);
}
