import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { dataFiles } from "../../server/src/config/config.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { startWaitingServer } from "../support/waiting-server.ts";
import { Counter } from "./counter.ts";
import { figures } from "./scale.ts";

setDefaultTimeout(300_000);

const DAY_MS = 86_400_000;

/** @returns what launches take of the database; what they take of the launch wallet is in `launches.test.ts` */
function stored({ config }: TestServer) {
  using client = new Database(dataFiles(config.dataDir).database);
  const rows = client
    .query<{ launches: number; bytes: number }, []>(
      `select (select count(*) from launches) as launches, sum(pgsize) as bytes from dbstat
       where name like 'launches%' or name like 'sqlite_autoindex_launches%'`,
    )
    .get();
  return rows ?? { launches: 0, bytes: 0 };
}

test("an agent that asks for 601 tickers gets twenty, which are free again a day later", async () => {
  await using server = await startTestServer();
  const agent = await Agent.signedIn(server);
  const before = stored(server).bytes;
  const tickers = Array.from({ length: 601 }, (_, n) => `BEST${n}`);
  const ended = new Counter();
  const taken: string[] = [];
  await Promise.all(
    tickers.map(async (ticker) => {
      const { status, body } = await agent.launch({ ticker });
      if (status !== 200) return ended.add(String(status));
      const { eventId } = expectShape(LaunchAcceptedSchema, body);
      const launch = await agent.untilEnded(eventId);
      ended.add(launch.status);
      if (launch.status === "rate_limited") taken.push(ticker);
    }),
  );
  const { launches, bytes } = stored(server);
  figures("601 tickers", { ended, launches, bytes: bytes - before });
  expect(ended.toJSON()).toEqual({ success: 1, rate_limited: 19, 429: 581 });
  expect(launches).toBe(20);

  server.clock.advance(DAY_MS);
  for (const ticker of taken) {
    const honest = await Agent.signedIn(server);
    expect((await honest.launch({ ticker })).status).toBe(200);
  }
});

test("twenty wallets of one address get a hundredth of the queue, and others still launch", async () => {
  // The limits of a day would stop them sooner.
  const unlimited = { MAX_LAUNCHES_PER_AGENT: "0", MAX_LAUNCHES_PER_ADDRESS: "0" };
  await using server = await startWaitingServer(unlimited);
  const wallets = await Promise.all(Array.from({ length: 20 }, () => Agent.signedIn(server)));
  const launchFrom = (agent: Agent, ticker: string, address: string) =>
    agent.post(
      "/api/v1/tokens/launch",
      { name: "A token", ticker },
      { "x-forwarded-for": address },
    );
  const answers = new Counter();
  await Promise.all(
    wallets.flatMap((wallet, w) =>
      Array.from({ length: 25 }, async (_, n) => {
        const { status, body } = await launchFrom(wallet, `W${w}N${n}`, "2001:db8:0:7::1");
        answers.add(status === 200 ? "200" : (body as { code: string }).code);
      }),
    ),
  );
  const held = stored(server).launches;
  figures("20 wallets at the queue", { requests: 500, held, answers });
  expect(held).toBe(100);
  expect(answers.toJSON()).toEqual({ 200: 100, share_used: 400 });
  const honest = await Agent.signedIn(server);
  expect((await launchFrom(honest, "HONEST", "192.0.2.1")).status).toBe(200);
});

test("an agent that prepares sixty claims leaves sixteen, and none once they have expired", async () => {
  await using server = await startTestServer();
  const [agent, other] = [await Agent.signedIn(server), await Agent.signedIn(server)];
  const mintOf = async (owner: Agent, ticker: string) => {
    const { tokenMint } = await owner.launched(ticker);
    await owner.post("/dev/airdrop", { sol: 1 });
    await owner.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
    return tokenMint ?? "";
  };
  const [mint, otherMint] = [await mintOf(agent, "ASKS"), await mintOf(other, "OTHER")];
  const theirs = await other.prepareClaim(otherMint);
  // Time passes, so that each claim has its own blockhash.
  for (let n = 0; n < 60; n++) {
    await agent.prepareClaim(mint);
    server.clock.advance(400);
  }
  const unsigned = () => {
    using client = new Database(dataFiles(server.config.dataDir).database);
    return client
      .query<{ n: number }, []>("select count(*) as n from prepared where status = 'prepared'")
      .get()?.n;
  };
  figures("claims that are never signed", { asked: 60, kept: (unsigned() ?? 0) - 1 });
  expect(unsigned()).toBe(16 + 1);
  // The newest claim works, and so does the other agent's, which is the oldest.
  expect((await agent.claim(mint)).claimedSOL).toBeGreaterThan(0);
  expect((await other.submitClaim(otherMint, other.signClaim(theirs.transaction))).status).toBe(
    200,
  );
  server.clock.advance(DAY_MS);
  await server.restart();
  expect(unsigned()).toBe(0);
});
