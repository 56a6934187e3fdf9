import { join } from "node:path";
import { tokensOf } from "../harness/agents.ts";
import { ask, expectAnswer, expectLocked } from "../harness/answers.ts";
import type { Running } from "../harness/contestant.ts";
import {
  fastify,
  handWritten,
  handWrittenCommitEach,
  hono,
  tokend,
  withoutChain,
} from "../harness/contestants.ts";
import { atLeast, atMost, figure, loadFigures, ratio } from "../harness/figures.ts";
import { launchTokens } from "../harness/request-file.ts";
import { interleave } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { agentOf, seededDatabase } from "../harness/seed.ts";
import { startAll } from "../harness/start-all.ts";
import { syncedWrite } from "../harness/synced-write.ts";
import { load } from "../harness/wrk.ts";

/** How many launches per second are accepted. */
export const launch: Row = {
  id: "launch",
  work: "launch accepted (durable: synced to disk before the answer), 64 connections",
  run,
};

async function run({ scale, peers }: RowContext): Promise<RowResult> {
  const launches = scale.quick ? 1_000 : 100_000;
  const ours = withoutChain(tokend);
  const contestants = [
    ours,
    handWritten,
    handWrittenCommitEach,
    ...(peers.hono ? [hono] : []),
    ...(peers.fastify ? [fastify] : []),
  ];
  await using all = await startAll(contestants, await seededDatabase(launches));
  await checkAnswers(all.servers);
  let runs = 0;
  const post = async ({ url }: Running, seconds: number) => {
    const prefix = `R${(runs++).toString(36).toUpperCase().padStart(3, "0")}`;
    const tokens = await launchTokens(agentOf(launches));
    return load({ script: "launch", arguments: [tokens, prefix], url, seconds });
  };
  const measured = await interleave(all.servers, scale, post);

  const { perSecond, p99 } = figure(measured, ours.name);
  const each = figure(measured, handWrittenCommitEach.name);
  const group = figure(measured, handWritten.name);
  const disk = syncedWrite(join(all.servers[0]?.dataDir ?? "", "probe"));
  return {
    goals: [
      atLeast(perSecond / group.perSecond, 0.8, "a hand-written group commit"),
      atMost(p99 / group.p99, 1.2, "a hand-written group commit's p99"),
    ],
    figures: loadFigures(measured, "launches"),
    notes: [
      `The service is ${ratio(perSecond / each.perSecond)} × one commit per request, the hand-written group commit ${ratio(group.perSecond / each.perSecond)} ×.`,
      `This disk takes ${disk.toFixed(2)} ms to write 4 KiB and sync them.`,
      "The service's chain is unreachable in this row: its worker, which the peers do not have, waits.",
    ],
  };
}

async function checkAnswers(servers: readonly Running[]): Promise<void> {
  const [token] = await tokensOf([0]);
  const path = "/api/v1/tokens/launch";
  const json = { name: "Checked", ticker: "CHECKED" };
  for (const server of servers) {
    const accepted = await ask(server, path, { token, json });
    const { eventId, message } = accepted.body;
    expectAnswer(server, accepted, 200, { success: true, eventId, message });
    const asked = await ask(server, `${path}/status/${eventId}`, { token });
    // tokend also says what it waits for.
    const { waitingFor: _for, waitingSince: _since, ...body } = asked.body;
    expectAnswer(server, { ...asked, body }, 200, {
      eventId,
      ticker: "CHECKED",
      status: "pending",
      processedAt: null,
      tokenMint: null,
      poolAddress: null,
      error: null,
    });
    const taken = await ask(server, path, { token, json });
    // tokend also names the agent's own launch.
    const { message: _m, eventId: _id, status: _s, ...conflict } = taken.body;
    expectAnswer(server, { ...taken, body: conflict }, 409, {
      error: "Ticker CHECKED already exists",
      code: "ticker_taken",
    });
    const wrong = await ask(server, path, { token, json: { name: "", ticker: "low", more: 1 } });
    expectAnswer(server, wrong, 400);
    await expectLocked(server, `${path}/status/${eventId}`, String(token));
  }
}
