import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Connection, Keypair } from "@solana/web3.js";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import type { ClusterReport } from "../cluster/main.ts";
import { tokenOf } from "../harness/agents.ts";
import { onCluster, startCluster, whyNoCluster } from "../harness/cluster.ts";
import { type Running, start } from "../harness/contestant.ts";
import { tokend } from "../harness/contestants.ts";
import { ratio } from "../harness/figures.ts";
import { expectLaunched, launchOf } from "../harness/launch-of.ts";
import { statusRequests } from "../harness/request-file.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { seededDatabase } from "../harness/seed.ts";
import { median } from "../harness/statistics.ts";
import { type Load, load } from "../harness/wrk.ts";

/** The service's default, set so that the goals count with the same number. */
const CONCURRENCY = 8;
const SEEDED = 1_000;
/** How long each of 64 connections pauses between polls, in milliseconds. */
const POLL_PAUSE_MS = 20;

/** How fast accepted launches reach a distant chain, and how much that slows the API down. */
export const worker: Row = {
  id: "worker",
  work: "worker: 500 launches of 500 agents, RPC at 50 ms, 400 ms to confirmation",
  run,
};

async function run({ scale, say }: RowContext): Promise<RowResult | string> {
  const why = await whyNoCluster();
  if (why !== null) return why;
  const count = scale.quick ? 12 : 500;
  await using cluster = await startCluster(1);
  const env = {
    ...tokend.env,
    WORKER_CONCURRENCY: String(CONCURRENCY),
    LAUNCH_PAYER: "either",
  };
  const contestant = onCluster({ ...tokend, env }, cluster);
  await using server = await start(contestant, await seededDatabase(SEEDED));
  const launches = new Launches(server);

  const single: number[] = [];
  for (let round = 0; round < scale.rounds; round++) single.push(await launches.time(1));
  const one = median(single);
  say(`one launch takes ${one.toFixed(0)} ms`);
  const paid: number[] = [];
  for (let round = 0; round < scale.rounds; round++) {
    paid.push(await timePaid(server, cluster, round));
  }
  const onePaid = median(paid);

  const idle = await pollWhile(server, Bun.sleep(4_000 * scale.rounds));
  const timed = launches.time(count);
  const busy = await pollWhile(server, timed);
  const wall = await timed;

  const slowdown = wall / ((count / CONCURRENCY) * one);
  const p99 = busy.p99 / idle.p99;
  return {
    goals: [
      {
        goal: `wall ≤ 1.5 × (${count} ÷ ${CONCURRENCY}) × one launch's time`,
        reached: `${ratio(slowdown)} ×`,
        isReached: slowdown <= 1.5,
      },
      {
        goal: "API p99 during it ≤ 1.5 × idle",
        reached: `${ratio(p99)} ×`,
        isReached: p99 <= 1.5,
      },
    ],
    figures: {
      columns: ["", "launches: seconds", "polls/s", "p50 ms", "p99 ms"],
      lines: [
        ["one launch", (one / 1000).toFixed(2), "", "", ""],
        ["one launch that its agent pays for", (onePaid / 1000).toFixed(2), "", "", ""],
        ["idle", "", ...columns(idle)],
        [`${count} launches`, (wall / 1000).toFixed(1), ...columns(busy)],
      ],
    },
    notes: [
      `The API is polled by 64 connections that each pause ${POLL_PAUSE_MS} ms; the cluster runs on`,
      "the same machine. The time of a launch is from its acceptance until it is confirmed; one that its",
      "agent pays for is built, checked by the SDK and signed in it.",
    ],
  };
}

/** @returns milliseconds from the request until a launch that its agent pays for is on chain */
async function timePaid(server: Running, cluster: ClusterReport, round: number): Promise<number> {
  const agent = Keypair.generate();
  await new Connection(cluster.url).requestAirdrop(agent.publicKey, 1e9);
  const token = await tokenOf(agent.publicKey.toBase58());
  const client = new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(agent), token });
  const started = performance.now();
  const request = { name: "Own money", ticker: `PAID${round}`, payer: "agent" } as const;
  const { eventId } = await client.launch(request, { expectedConfig: cluster.config });
  const { status, error } = await client.waitForLaunch(eventId);
  if (status !== "success") throw new Error(`the launch ended ${status}: ${error}`);
  return performance.now() - started;
}

const columns = ({ perSecond, p50, p99 }: Polls) => [
  Math.round(perSecond).toLocaleString("en"),
  p50.toFixed(2),
  p99.toFixed(2),
];

interface Polls {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Polls in runs of two seconds until the work is done. @returns medians over the runs */
async function pollWhile(server: Running, work: Promise<unknown>): Promise<Polls> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const runs: Load[] = [];
  do {
    const requests = await statusRequests(SEEDED);
    const options = { script: "get", url: server.url, seconds: 2 } as const;
    runs.push(await load({ ...options, arguments: [requests, String(POLL_PAUSE_MS)] }));
  } while (!isDone);
  await done;
  return {
    perSecond: median(runs.map((each) => each.requests / each.seconds)),
    p50: median(runs.map((each) => each.p50)),
    p99: median(runs.map((each) => each.p99)),
  };
}

/** Launches of agents that launch once each. */
class Launches {
  readonly #server: Running;
  readonly #database: Database;
  #made = 0;

  constructor(server: Running) {
    this.#server = server;
    this.#database = new Database(join(server.dataDir, "tokend.sqlite"), { readonly: true });
  }

  /** @returns milliseconds from the first request until all are on chain */
  async time(count: number): Promise<number> {
    const started = performance.now();
    const eventIds = await Promise.all(
      Array.from({ length: count }, () => launchOf(this.#server, this.#made++)),
    );
    const left = this.#database.query<{ count: number; failed: number }, []>(
      `select count(*) as count, sum(status in ('failed', 'rate_limited')) as failed
       from launches where status <> 'success'`,
    );
    for (;;) {
      const { count: open, failed } = left.get() ?? { count: 0, failed: 0 };
      if (failed > 0) throw new Error(`${failed} of ${count} launches failed`);
      if (open === 0) break;
      await Bun.sleep(10);
    }
    const took = performance.now() - started;
    const eventId = String(eventIds[0]);
    const { wallet } = this.#database
      .query<{ wallet: string }, [string]>("select wallet from launches where event_id = ?")
      .get(eventId) ?? { wallet: "" };
    await expectLaunched(this.#server, wallet, eventId);
    return took;
  }
}
