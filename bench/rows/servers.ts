import type { Running } from "../harness/contestant.ts";
import { start } from "../harness/contestant.ts";
import { tokend, withoutChain } from "../harness/contestants.ts";
import { loadFigures } from "../harness/figures.ts";
import { launchTokens } from "../harness/request-file.ts";
import { interleave } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { agentOf, seededDatabase } from "../harness/seed.ts";
import { startDurablePostgres, startGroups, whyNoPostgres } from "../harness/shared-database.ts";
import { type Load, load } from "../harness/wrk.ts";

const SEEDED = 1_000;
const CONNECTIONS = 64;

/** How many launches per second servers accept that share a PostgreSQL database. */
export const servers: Row = {
  id: "servers",
  work: "launch accepted on PostgreSQL by 1, 2 and 3 servers, 64 connections in all, beside SQLite",
  run,
};

interface Group {
  readonly name: string;
  readonly servers: readonly Running[];
}

async function run({ scale }: RowContext): Promise<RowResult | string> {
  const why = whyNoPostgres();
  if (why !== null) return why;
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startDurablePostgres());
  const contestant = withoutChain(tokend);
  const sqlite = stack.use(await start(contestant, await seededDatabase(SEEDED)));
  const groups: Group[] = [
    { name: "SQLite, 1 server", servers: [sqlite] },
    ...(await startGroups(stack, postgres, () => contestant)),
  ];
  const tokens = await launchTokens(agentOf(SEEDED));
  let runs = 0;
  const post = async (group: Group, seconds: number): Promise<Load> => {
    const connections = Math.ceil(CONNECTIONS / group.servers.length);
    const loads = group.servers.map(({ url }) => {
      const prefix = `S${(runs++).toString(36).toUpperCase().padStart(3, "0")}`;
      return load({ script: "launch", arguments: [tokens, prefix], url, seconds, connections });
    });
    return together(await Promise.all(loads));
  };
  const measured = await interleave(groups, scale, post);
  return {
    goals: [],
    figures: loadFigures(measured, "launches"),
    notes: [
      "Latencies are those of a group's slowest server. PostgreSQL, all servers and the load share",
      "this machine's cores, so that more servers cannot be faster here: what counts is what they",
      "cost each other. PostgreSQL syncs each commit to the disk before it is answered.",
    ],
  };
}

/** The sum of what servers did side by side; of latencies the worst. */
function together(loads: readonly Load[]): Load {
  const most = (of: (load: Load) => number) => Math.max(...loads.map(of));
  const sum = (of: (load: Load) => number) => loads.reduce((total, load) => total + of(load), 0);
  return {
    seconds: most(({ seconds }) => seconds),
    requests: sum(({ requests }) => requests),
    completed: sum(({ completed }) => completed),
    p50: most(({ p50 }) => p50),
    p99: most(({ p99 }) => p99),
  };
}
