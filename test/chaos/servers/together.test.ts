import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PublicKey } from "@solana/web3.js";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { TokenListSchema } from "@tokenctl/shared/contract/token";
import { solToLamports } from "@tokenctl/shared/sol";
import { CRASH_POINTS } from "../../../server/src/launchpad/crash-point.ts";
import { describeMeteora } from "../../../server/src/launchpad/meteora/testing/programs.ts";
import {
  POSTGRES_PROGRAMS,
  startPostgres,
  type TestPostgres,
} from "../../../server/src/testing/postgres.ts";
import { Agent, expectShape } from "../../support/agent.ts";
import { Cluster } from "../../support/cluster.ts";
import { AgentActivity } from "../agent-activity.ts";
import { compareWithChain, NO_DIFFERENCE } from "../compare-with-chain.ts";
import { figures, isLong, scale } from "../scale.ts";
import { countLaunches, untilAtRest } from "./count-launches.ts";
import { Faults } from "./faults.ts";
import { GroupAgent } from "./group-agent.ts";
import { sql } from "./postgres-pair.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type GroupOptions, ServerGroup } from "./server-group.ts";

setDefaultTimeout(scale(600_000, 5_400_000));

const AGENTS = scale(4, 8);
const GIVEN_LAMPORTS = 1e12;
/** Short, so that a frozen server's leases run out. */
const LEASE_MS = scale(1_500, 3_000);
/** `bun run chaos` tries new faults each time; to repeat those of a run, set what it printed. */
const seed = Number(process.env.FAULTS_SEED ?? (isLong ? randomInt(2 ** 31) : 1));
/** Where a server dies that works on a launch which its agent has signed. */
const TAKEN_OVER = isLong
  ? CRASH_POINTS.filter((point) => point.startsWith("launch."))
  : (["launch.signed", "launch.sent"] as const);
/** All that idle servers do comes at least once a minute; the round of the pools has many queries. */
const IDLE_SECONDS = 60;
/** How fast that minute passes. */
const IDLE_SPEED = 10;

describeMeteora.skipIf(!POSTGRES_PROGRAMS)("three servers on one PostgreSQL", () => {
  let cluster: Cluster;
  let postgres: TestPostgres;
  let database: string;
  let group: ServerGroup;
  let launchWallet: PublicKey;
  let queries = 0;
  let counted = /$^/g;
  beforeAll(async () => {
    const settings = { log_statement: "all", log_line_prefix: "%d " };
    const onLog = (text: string) => {
      queries += text.match(counted)?.length ?? 0;
    };
    const starting = startPostgres({ settings, onLog, fsync: isLong });
    [cluster, postgres] = await Promise.all([Cluster.start(1), starting]);
    database = await postgres.createDatabase();
    group = await startGroup({ leaseMs: LEASE_MS, database });
  });
  afterAll(async () => {
    await group?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  async function startGroup(options: Omit<GroupOptions, "env">) {
    // Two services may not launch from one wallet.
    const { env, publicKey } = await cluster.launchWallet(GIVEN_LAMPORTS);
    launchWallet ??= publicKey;
    const limits = { LAUNCH_PAYER: "either", MAX_DAILY_SPEND_SOL: "1000" };
    return ServerGroup.start({
      env: () => ({ ...env, ...limits, RPC_URL: cluster.url }),
      ...options,
    });
  }

  test("lose, double and hold up no accepted launch under random faults, pay each claim once, and spend no more than they book", async () => {
    const activity = new AgentActivity();
    const random = new SeededRandom(seed);
    const faults = new Faults(group, postgres, random, LEASE_MS);
    console.log(`faults of several servers: FAULTS_SEED=${seed}`);
    let isOver = false;
    const agents = Array.from({ length: AGENTS }, async () => {
      const own = new SeededRandom(random.below(2 ** 31));
      while (!isOver) {
        await activity.run(() => launchAndClaim(new GroupAgent(group, activity, own), own));
      }
    });
    const work = Promise.all(agents);
    await faults.inflict(scale(12, 1_000));
    isOver = true;
    await work;

    const count = countLaunches(postgres, database);
    await untilAtRest(count);
    const server = group.server(0);
    const comparison = await compareWithChain(server, cluster.chain, launchWallet, activity, count);
    const spent = GIVEN_LAMPORTS - (await cluster.chain.getBalance(launchWallet));
    const booked = Number(await sql(postgres, "select sum(lamports) from spending", database));
    const { counts } = faults;
    figures("faults of several servers", { seed, counts, ...comparison, spent, booked });
    expect(activity.unexpectedErrors).toEqual([]);
    expect(comparison).toMatchObject(NO_DIFFERENCE);
    expect(spent).toBeLessThanOrEqual(booked);
    expect(Object.values(counts).every(Boolean)).toBe(true);
    expect(comparison.launchesAccepted).toBeGreaterThanOrEqual(AGENTS);
    expect(comparison.claimsConfirmed).toBeGreaterThan(0);
  });

  async function launchAndClaim(who: GroupAgent, random: SeededRandom): Promise<void> {
    await who.signIn();
    const { status, poolAddress, tokenMint } = await who.untilEnded(await who.launch());
    if (status !== "success" || poolAddress === null || tokenMint === null) return;
    if (random.below(2) === 0) return;
    await cluster.earnIn(poolAddress, who.agent.keypair.publicKey);
    await who.claim(tokenMint);
  }

  function at(url: string, agent: Agent): Agent {
    const other = new Agent({ url }, agent.keypair);
    other.token = agent.token;
    return other;
  }

  let tickers = 0;
  const nextTicker = () => `G${tickers++}`;

  test.each(TAKEN_OVER)(
    "a launch that its agent pays for, whose server died at %s, is taken over: one token, paid once",
    async (step) => {
      await group.kill(2);
      await group.start(2, 0, { TOKEND_CRASH_AT: step });
      let hasDied = false;
      const dying = group.server(2).exited.then(() => {
        hasDied = true;
      });
      // The others look every three seconds, so that nearly always the one that gets the signature takes it.
      while (!hasDied) {
        await paidOnce();
        await Promise.race([dying, sleep(0)]);
      }
      await group.start(2);
    },
  );

  /** Has an agent pay for a launch that it signs at the third server, and follows it at another. */
  async function paidOnce(): Promise<void> {
    const agent = await Agent.signedIn(group.server(1));
    await cluster.chain.requestAirdrop(agent.keypair.publicKey, 1e9);
    const eventId = await agent.accepted(nextTicker(), { payer: "agent" });
    const path = `/api/v1/tokens/launch/${eventId}/transaction`;
    const prepared = expectShape(PreparedLaunchSchema, (await agent.post(path)).body);
    const signed = { signedTransaction: agent.signBeside(prepared.transaction) };
    // It may die before it answers, also before it has stored anything: a client asks another one.
    const answer = await at(group.server(2).url, agent)
      .post(path, signed)
      .catch(() => agent.post(path, signed));
    expect(answer.status).toBe(200);
    const { costSOL, tokenMint } = await agent.untilEnded(eventId);
    expect(tokenMint).toBe(prepared.tokenMint);
    expect((await agent.post(path, signed)).status).toBe(200);
    const left = await cluster.chain.getBalance(agent.keypair.publicKey);
    expect(1e9 - left).toBe(Number(solToLamports(costSOL ?? 0)));
    const { tokens } = expectShape(TokenListSchema, (await agent.get("/api/v1/tokens/")).body);
    expect(tokens.map((token) => token.tokenMint)).toEqual([prepared.tokenMint]);
  }

  test("cost fewer than one query a second and server while they are idle", async () => {
    const database = await postgres.createDatabase();
    await using servers = await startGroup({ speed: IDLE_SPEED, database });
    await (await Agent.signedIn(servers.server(0))).launched("IDLE");
    counted = new RegExp(
      `^${new URL(database).pathname.slice(1)} LOG: {2}(statement|execute)`,
      "gm",
    );
    queries = 0;
    const began = performance.now();
    await sleep((IDLE_SECONDS * 1_000) / IDLE_SPEED);
    const seconds = ((performance.now() - began) / 1_000) * IDLE_SPEED;
    const each = queries / servers.all.length;
    figures("idle servers", { queriesPerSecondAndServer: each / seconds });
    expect(each).toBeGreaterThan(1);
    expect(each).toBeLessThan(seconds);
  });
});
