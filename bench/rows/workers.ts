import { SQL } from "bun";
import { walletOf } from "../harness/agents.ts";
import { onCluster, startCluster, whyNoCluster } from "../harness/cluster.ts";
import { tokend } from "../harness/contestants.ts";
import { atLeast, ratio } from "../harness/figures.ts";
import { expectLaunched, launchOf } from "../harness/launch-of.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import {
  type ServerGroup,
  startDurablePostgres,
  startGroups,
  whyNoPostgres,
} from "../harness/shared-database.ts";
import { median } from "../harness/statistics.ts";

const CONCURRENCY = 8;
/** After which launches that have not ended never will. */
const LONGEST_MS = 300_000;

/** How fast servers that share a queue bring launches to a distant chain. */
export const workers: Row = {
  id: "workers",
  work: "worker: 240 launches of 240 agents on PostgreSQL by 1, 2 and 3 servers, RPC at 50 ms",
  run,
};

async function run({ scale, say }: RowContext): Promise<RowResult | string> {
  const why = whyNoPostgres() ?? (await whyNoCluster());
  if (why !== null) return why;
  const count = scale.quick ? 6 : 240;
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startDurablePostgres());
  const env = { ...tokend.env, WORKER_CONCURRENCY: String(CONCURRENCY) };
  const groups = await startGroups(stack, postgres, async () =>
    onCluster({ ...tokend, env }, stack.use(await startCluster(1))),
  );

  const seconds = new Map<string, number[]>(groups.map(({ name }) => [name, []]));
  let made = 0;
  const measure = async (group: ServerGroup, launches: number) => {
    const agents = Array.from({ length: launches }, () => made++);
    return await timeOf(group, agents);
  };
  for (const group of groups) await measure(group, group.servers.length);
  for (let round = 0; round < Math.min(scale.rounds, 3); round++) {
    for (const group of groups) seconds.get(group.name)?.push(await measure(group, count));
    say(`round ${round + 1} is done`);
  }
  const perSecond = groups.map(({ name }) => count / median(seconds.get(name) ?? []));
  const [one = Number.NaN, , three = Number.NaN] = perSecond;
  return {
    goals: [atLeast(three / one, 2.6, "one server's launches, with three")],
    figures: {
      columns: ["", "launches/s", "of one server"],
      lines: groups.map(({ name }, index) => {
        const rate = perSecond[index] ?? Number.NaN;
        return [name, rate.toFixed(1), `${ratio(rate / one)} ×`];
      }),
    },
    notes: [
      `Each server works on ${CONCURRENCY} launches at once; launches come to the servers by turns.`,
    ],
  };
}

/** @returns seconds from the first request until all launches are on chain */
async function timeOf({ servers, database }: ServerGroup, agents: readonly number[]) {
  const started = performance.now();
  const accepted = agents.map((agent, index) => {
    const server = servers[index % servers.length];
    if (!server) throw new Error("a group has servers");
    return launchOf(server, agent);
  });
  const [eventId = ""] = await Promise.all(accepted);
  await using sql = new SQL(database);
  for (;;) {
    const [{ open, ended }] = await sql`
      select count(*) filter (where status = 'pending')::int as open,
        count(*) filter (where status in ('failed', 'rate_limited'))::int as ended
      from launches`;
    if (ended > 0) throw new Error(`${ended} launches failed`);
    if (open === 0) break;
    if (performance.now() - started > LONGEST_MS) throw new Error(`${open} launches do not end`);
    await Bun.sleep(20);
  }
  const took = (performance.now() - started) / 1000;
  const [server] = servers;
  if (server) await expectLaunched(server, walletOf(agents[0] ?? 0), eventId);
  return took;
}
