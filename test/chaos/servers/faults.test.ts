import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { describeMeteora } from "../../../server/src/launchpad/meteora/testing/programs.ts";
import { POSTGRES_PROGRAMS, startPostgres } from "../../../server/src/testing/postgres.ts";
import { AgentActivity } from "../agent-activity.ts";
import { Cluster } from "../cluster.ts";
import { compareWithChain, NO_DIFFERENCE } from "../compare-with-chain.ts";
import { figures, isLong, scale } from "../scale.ts";
import { countLaunches, untilAtRest } from "./count-launches.ts";
import { Faults } from "./faults.ts";
import { GroupAgent } from "./group-agent.ts";
import { sql } from "./postgres-pair.ts";
import { SeededRandom } from "./seeded-random.ts";
import { ServerGroup } from "./server-group.ts";

setDefaultTimeout(scale(600_000, 5_400_000));

const FAULTS = scale(12, 1_000);
const AGENTS = scale(4, 8);
/** Short, so that a frozen server's leases run out. */
const LEASE_MS = scale(1_500, 3_000);
const GIVEN_LAMPORTS = 1e12;

/** `bun run chaos` tries new faults each time; to repeat those of a run, set what it printed. */
const seed = Number(process.env.FAULTS_SEED ?? (isLong ? randomInt(2 ** 31) : 1));

describeMeteora("three servers on PostgreSQL under random faults", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.skipIf(!POSTGRES_PROGRAMS)(
    "lose, double and hold up no accepted launch, pay each claim once, and spend no more than they book",
    async () => {
      await using postgres = await startPostgres({ fsync: isLong });
      const database = await postgres.createDatabase();
      const { publicKey, env } = await cluster.launchWallet(GIVEN_LAMPORTS);
      await using group = await ServerGroup.start({
        env: () => ({ ...env, RPC_URL: cluster.url, MAX_DAILY_SPEND_SOL: "1000" }),
        database,
        leaseMs: LEASE_MS,
      });
      const activity = new AgentActivity();
      const random = new SeededRandom(seed);
      const faults = new Faults(group, postgres, random, LEASE_MS);
      console.log(`faults of several servers: FAULTS_SEED=${seed}`);

      let isOver = false;
      const agents = Array.from({ length: AGENTS }, async () => {
        const own = new SeededRandom(random.below(2 ** 31));
        while (!isOver) {
          await activity.run(() => live(new GroupAgent(group, activity, own), own));
        }
      });
      const work = Promise.all(agents);
      await faults.inflict(FAULTS);
      isOver = true;
      await work;

      const count = countLaunches(postgres, database);
      await untilAtRest(count);
      const comparison = await compareWithChain(
        group.server(0),
        cluster.chain,
        publicKey,
        activity,
        count,
      );
      const spent = GIVEN_LAMPORTS - (await cluster.chain.getBalance(publicKey));
      const booked = Number(await sql(postgres, "select sum(lamports) from spending", database));
      const { counts } = faults;
      figures("faults of several servers", { seed, counts, ...comparison, spent, booked });
      expect(activity.unexpectedErrors).toEqual([]);
      expect(comparison).toMatchObject(NO_DIFFERENCE);
      expect(spent).toBeLessThanOrEqual(booked);
      expect(Object.values(counts).every(Boolean)).toBe(true);
      expect(comparison.launchesAccepted).toBeGreaterThanOrEqual(AGENTS);
      expect(comparison.claimsConfirmed).toBeGreaterThan(0);
    },
  );

  async function live(who: GroupAgent, random: SeededRandom): Promise<void> {
    await who.signIn();
    const { status, poolAddress, tokenMint } = await who.untilEnded(await who.launch());
    if (status !== "success" || poolAddress === null || tokenMint === null) return;
    if (random.below(2) === 0) return;
    await cluster.earnIn(poolAddress, who.agent.keypair.publicKey);
    await who.claim(tokenMint);
  }
});
