import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { describeMeteora } from "../../../server/src/launchpad/meteora/testing/programs.ts";
import { POSTGRES_PROGRAMS } from "../../../server/src/testing/postgres.ts";
import { Cluster } from "../../support/cluster.ts";
import { AgentActivity } from "../agent-activity.ts";
import { compareWithChain, NO_DIFFERENCE } from "../compare-with-chain.ts";
import { figures, isLong, scale } from "../scale.ts";
import { countLaunches, untilAtRest } from "./count-launches.ts";
import { DatabaseProxy } from "./database-proxy.ts";
import { GroupAgent } from "./group-agent.ts";
import { startPostgresPair } from "./postgres-pair.ts";
import { SeededRandom } from "./seeded-random.ts";
import { ServerGroup } from "./server-group.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

const AGENTS = scale(6, 16);
/** How many launches are accepted before the primary is lost, and after the standby took over. */
const LAUNCHES = scale(12, 100);
const LAUNCHES_AFTER = scale(4, 100);
/** `crash`: its connections close. `silence`: nothing comes back, as if its cable were pulled. */
const LOSSES = isLong ? (["crash", "silence", "crash", "silence"] as const) : (["crash"] as const);

describeMeteora.skipIf(!POSTGRES_PROGRAMS)("a primary that is lost", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  for (const [round, loss] of LOSSES.entries()) {
    test(`loses no accepted launch to a standby that is synchronous: ${loss} ${round + 1}`, async () => {
      await using pair = await startPostgresPair({ fsync: isLong });
      const created = await pair.primary.createDatabase();
      const name = new URL(created).pathname.slice(1);
      await using toPrimary = await DatabaseProxy.start(created);
      await using toStandby = await DatabaseProxy.start(pair.standby.url(name));
      const both = created.replace(/@[^/]+/, `@${toPrimary.host},${toStandby.host}`);
      const { publicKey, env } = await cluster.launchWallet();
      await using group = await ServerGroup.start({
        env: () => ({ ...env, RPC_URL: cluster.url }),
        database: { url: `${both}` },
        leaseMs: 2_000,
      });
      const activity = new AgentActivity();
      const accepted: number[] = [];
      let isOver = false;
      const agents = Array.from({ length: AGENTS }, async (_, index) => {
        const random = new SeededRandom(1_000 * round + index);
        while (!isOver) {
          await activity.run(async () => {
            const who = new GroupAgent(group, activity, random);
            await who.signIn();
            const eventId = await who.launch();
            accepted.push(performance.now());
            if (index % 2 === 0) await who.untilEnded(eventId);
          });
        }
      });
      const untilAccepted = async (count: number) => {
        while (accepted.length < count && activity.unexpectedErrors.length === 0) await sleep(20);
      };
      await untilAccepted(LAUNCHES);
      pair.link.fallSilent();
      if (loss === "silence") toPrimary.fallSilent();
      else await pair.primary.stop("immediate");
      const acceptedBefore = accepted.length;
      await pair.promote();
      const promoted = performance.now();
      await untilAccepted(acceptedBefore + LAUNCHES_AFTER);
      isOver = true;
      await Promise.all(agents);
      const firstAfter = accepted.find((time) => time > promoted) ?? Number.NaN;
      const counts = countLaunches(pair.standby, pair.standby.url(name));
      await untilAtRest(counts);
      const server = group.server(0);
      const result = await compareWithChain(server, cluster.chain, publicKey, activity, counts);
      figures("a lost primary", {
        loss,
        acceptedBefore,
        secondsUntilAccepted: (firstAfter - promoted) / 1000,
        ...result,
      });
      expect(activity.unexpectedErrors).toEqual([]);
      expect(result).toMatchObject(NO_DIFFERENCE);
    });
  }
});
