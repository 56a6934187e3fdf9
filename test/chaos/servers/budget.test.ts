import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { formatSol } from "@tokenctl/shared/sol";
import { describeMeteora } from "../../../server/src/launchpad/meteora/testing/programs.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../../server/src/testing/postgres.ts";
import { Agent, expectShape, send } from "../../support/agent.ts";
import { Cluster } from "../cluster.ts";
import { figures, scale } from "../scale.ts";
import { countLaunches } from "./count-launches.ts";
import { sql } from "./postgres-pair.ts";
import { ServerGroup } from "./server-group.ts";

setDefaultTimeout(600_000);

const SOL = 1e9;
const LAUNCHES = scale(9, 60);
/** Short, because servers are killed while they try a launch. */
const LEASE_MS = 2_000;
/** What the day's limit and then the wallet's floor let through. */
const BY_LIMIT = scale(4, 25);
const BY_FLOOR = scale(2, 25);

describeMeteora.skipIf(!POSTGRES_PROGRAMS)("the launch wallet of three servers", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("spends no more than the day's limit and keeps its floor, while launches wait", async () => {
    const postgres = await sharedPostgres();
    const database = await postgres.createDatabase();
    const count = countLaunches(postgres, database);
    const given = 10 * SOL;
    const { publicKey, env } = await cluster.launchWallet(given);
    const spent = async () => given - (await cluster.chain.getBalance(publicKey));
    let limits: Record<string, string> = {};
    await using group = await ServerGroup.start({
      env: () => ({ ...env, RPC_URL: cluster.url, ...limits }),
      database,
      leaseMs: LEASE_MS,
    });
    const restart = async () => {
      await Promise.all(group.all.map((_, index) => group.kill(index)));
      // Ends the pauses of launches that were put off.
      await sql(postgres, "update launches set run_at = 0 where status = 'pending'", database);
      await Promise.all(group.all.map((_, index) => group.start(index)));
    };
    const first = await Agent.signedIn(group.server(0));
    expect((await first.launched("COST")).status).toBe("success");
    const cost = await spent();

    // All are accepted while the wallet's floor lets none through.
    limits = { MIN_WALLET_SOL: formatSol(BigInt(given)) };
    await restart();
    const agents = await Promise.all(
      Array.from({ length: LAUNCHES }, (_, index) => Agent.signedIn(group.server(index))),
    );
    const answers = await Promise.all(
      agents.map((agent, n) => agent.launch({ ticker: `PAY${n}` })),
    );
    const accepted = answers.map(({ body }, index) => {
      return { agent: agents[index], ...expectShape(LaunchAcceptedSchema, body) };
    });
    /** Waits until every server has put a launch off and none is under way. @returns how many were made */
    const launchedAtRest = async () => {
      const leased = "select count(*) from launches where lease_id is not null";
      const isAtRest = async () =>
        group.all.every((server) => server.output().includes("launch put off")) &&
        (await sql(postgres, leased, database)).trim() === "0";
      while (!(await isAtRest())) await sleep(50);
      const launched = accepted.length - (await count()).pending;
      expect(await spent()).toBe((1 + launched) * cost);
      return launched;
    };
    expect(await launchedAtRest()).toBe(0);

    limits = { MAX_DAILY_SPEND_SOL: formatSol(BigInt(Math.floor(cost * (BY_LIMIT + 1.5)))) };
    await restart();
    const refused = await (await Agent.signedIn(group.server(0))).launch({ ticker: "LATE" });
    expect(refused.body).toMatchObject({ code: "daily_budget_spent" });
    const byLimit = await launchedAtRest();
    expect(await unhealthy(group)).toContain("SOL");
    // A server that could not measure what a launch costs sets more aside, and launches fewer.
    expect(byLimit).toBeLessThanOrEqual(BY_LIMIT);
    expect(byLimit).toBeGreaterThan(0);

    const floor = given - Math.floor(cost * (1 + byLimit + BY_FLOOR + 0.5));
    limits = { MIN_WALLET_SOL: formatSol(BigInt(floor)) };
    await restart();
    const byFloor = (await launchedAtRest()) - byLimit;
    expect(await unhealthy(group)).toContain("SOL");
    expect(byFloor).toBeLessThanOrEqual(BY_FLOOR);
    expect(byFloor).toBeGreaterThan(0);

    limits = {};
    await restart();
    for (const { agent, eventId } of accepted) {
      if (agent) agent.server = group.server(0);
      expect((await agent?.untilEnded(eventId))?.status).toBe("success");
    }
    expect(await spent()).toBe((1 + accepted.length) * cost);
    figures("one wallet of three servers", {
      accepted: accepted.length,
      byLimit,
      byFloor,
    });
  });
});

/** Waits until a server is not healthy. @returns why */
async function unhealthy(group: ServerGroup): Promise<string> {
  for (let turn = 0; ; turn++) {
    const { status, body } = await send(group.server(turn).url, "GET", "/health");
    if (status === 503) return JSON.stringify(body);
    await sleep(50);
  }
}
