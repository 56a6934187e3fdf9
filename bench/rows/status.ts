import { eventIdOf, tokensOf } from "../harness/agents.ts";
import { ask, expectAnswer, expectLocked } from "../harness/answers.ts";
import type { Running } from "../harness/contestant.ts";
import {
  fastify,
  handWritten,
  handWrittenRemembering,
  hono,
  tokend,
} from "../harness/contestants.ts";
import { atLeast, atMost, figure, loadFigures, ratio } from "../harness/figures.ts";
import { statusRequests } from "../harness/request-file.ts";
import { interleave } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { agentOf, seededDatabase } from "../harness/seed.ts";
import { startAll } from "../harness/start-all.ts";
import { load } from "../harness/wrk.ts";

/** How many polls of launches per second are answered. */
export const status: Row = {
  id: "status",
  work: "authenticated status poll, 64 connections, 100,000 launches stored",
  run,
};

async function run({ scale, peers }: RowContext): Promise<RowResult> {
  const launches = scale.quick ? 1_000 : 100_000;
  const contestants = [
    tokend,
    handWritten,
    handWrittenRemembering,
    ...(peers.hono ? [hono] : []),
    ...(peers.fastify ? [fastify] : []),
  ];
  await using all = await startAll(contestants, await seededDatabase(launches));
  await checkAnswers(all.servers, launches - 1);
  // Agents poll many times with one token: only the warm-up meets tokens that were not verified before.
  const requests = await statusRequests(launches);
  const poll = ({ url }: Running, seconds: number) =>
    load({ script: "get", arguments: [requests], url, seconds });
  const measured = await interleave(all.servers, scale, poll);

  const ours = figure(measured, tokend.name);
  const limit = figure(measured, handWritten.name);
  const rival = measured.get(fastify.name);
  const best = figure(measured, handWrittenRemembering.name);
  return {
    goals: [
      atLeast(ours.perSecond / limit.perSecond, 0.9, "the hand-written limit"),
      ...(rival ? [atLeast(ours.perSecond / rival.perSecond, 4, "Fastify")] : []),
      atMost(ours.p99 / limit.p99, 1.3, "the limit's p99"),
    ],
    figures: loadFigures(measured, "polls"),
    notes: [
      "The launches polled have their tokens: nothing changes them any more, and the service remembers",
      "up to 10,000 of those. The hand-written server looks each up.",
      ...(rival
        ? [`With tokens remembered it is ${ratio(best.perSecond / rival.perSecond)} × Fastify.`]
        : []),
    ],
  };
}

async function checkAnswers(servers: readonly Running[], launch: number): Promise<void> {
  const [token, stranger] = await tokensOf([agentOf(launch), agentOf(launch) + 1]);
  const path = `/api/v1/tokens/launch/status/${eventIdOf(launch)}`;
  let first: unknown;
  for (const server of servers) {
    const answer = await ask(server, path, { token });
    first ??= answer.body;
    expectAnswer(server, answer, 200, first);
    const foreign = await ask(server, path, { token: stranger });
    expectAnswer(server, foreign, 404, { error: "Launch not found", code: "launch_not_found" });
    await expectLocked(server, path, String(token));
  }
}
