import { DynamicBondingCurveClient } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Connection, PublicKey } from "@solana/web3.js";
import type { ClaimRecord } from "@tokenctl/shared/types";
import { tokenOf } from "../harness/agents.ts";
import { ask, WrongAnswerError } from "../harness/answers.ts";
import { onCluster, type RunningCluster, startCluster, whyNoCluster } from "../harness/cluster.ts";
import { type Running, start } from "../harness/contestant.ts";
import { tokend } from "../harness/contestants.ts";
import { atLeast, ratio } from "../harness/figures.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { databaseOf } from "../harness/seed.ts";
import { median } from "../harness/statistics.ts";

const MAX_CALLS = 35;

/** How fast the fees of all tokens of an agent are read from a distant cluster. */
export const claims: Row = {
  id: "claims",
  work: "claims of 1,000 tokens at 50 ms RPC latency",
  run,
};

async function run({ scale }: RowContext): Promise<RowResult | string> {
  const why = await whyNoCluster();
  if (why !== null) return why;
  const count = scale.quick ? 120 : 1_000;
  await using cluster = await startCluster(count);
  const seed = await databaseOf(cluster.agent, cluster.tokens);
  const token = await tokenOf(cluster.agent);
  const times: number[] = [];
  const calls: number[] = [];
  let records: ClaimRecord[] = [];
  for (let round = 0; round < scale.rounds; round++) {
    // A new server in each round has cached nothing.
    await using server = await start(onCluster(tokend, cluster), seed);
    await untilProbed(server, cluster);
    const started = performance.now();
    records = await readClaims(server, token, count);
    times.push(performance.now() - started);
    calls.push(await cluster.callsSince());
  }
  const naive = await readOneByOne(cluster, records, scale.quick ? 3 : 100);

  const time = median(times);
  const most = Math.max(...calls);
  return {
    goals: [
      { goal: `≤ ${MAX_CALLS} RPC calls`, reached: String(most), isReached: most <= MAX_CALLS },
      atLeast((naive.perToken * count) / time, 30, "as fast as a getPoolFeeBreakdown per token"),
    ],
    figures: {
      columns: ["", "ms", "RPC calls"],
      lines: [
        [`tokend, ${count} migrated tokens`, time.toFixed(0), String(most)],
        [
          `getPoolFeeBreakdown per token, ${count} tokens`,
          (naive.perToken * count).toFixed(0),
          String(naive.callsPerToken * count),
        ],
      ],
    },
    notes: [
      "All tokens have migrated, so the service reads curves, positions and liquidity pools;",
      `getPoolFeeBreakdown reads curves alone. It was timed on ${naive.tokens} tokens, one after the`,
      `other (${ratio(naive.perToken)} ms each), and multiplied.`,
    ],
  };
}

/** Waits until the probe at start has ended, so that its calls are not counted. */
async function untilProbed(server: Running, cluster: RunningCluster): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { body } = await ask(server, "/health");
    if (body.ok === true) break;
    if (performance.now() > deadline) throw new Error(`no health: ${body.message}`);
    await Bun.sleep(20);
  }
  await cluster.callsSince();
}

async function readClaims(server: Running, token: string, count: number): Promise<ClaimRecord[]> {
  const { status, body } = await ask(server, "/api/v1/tokens/claims", { token });
  const records = body.claims as ClaimRecord[] | undefined;
  if (status !== 200 || records?.length !== count || !records.every((each) => each.isMigrated)) {
    throw new WrongAnswerError(`${server.name} answered ${status} with ${records?.length} claims`);
  }
  return records;
}

/** Reads the fees as an agent would without this service, and compares the service's figures. */
async function readOneByOne(
  cluster: RunningCluster,
  records: readonly ClaimRecord[],
  tokens: number,
): Promise<{ tokens: number; perToken: number; callsPerToken: number }> {
  const { state } = DynamicBondingCurveClient.create(new Connection(cluster.url, "confirmed"));
  await cluster.callsSince();
  const started = performance.now();
  for (const record of records.slice(0, tokens)) {
    const { creator } = await state.getPoolFeeBreakdown(new PublicKey(record.poolAddress));
    const claimable = Number(creator.unclaimedQuoteFee.toString()) / 1e9;
    if (claimable !== record.dbcClaimableFees) {
      throw new WrongAnswerError(`${record.dbcClaimableFees} SOL are claimable, not ${claimable}`);
    }
  }
  const perToken = (performance.now() - started) / tokens;
  return { tokens, perToken, callsPerToken: (await cluster.callsSince()) / tokens };
}
