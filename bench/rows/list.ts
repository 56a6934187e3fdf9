import { tokensOf } from "../harness/agents.ts";
import { ask, expectAnswer, expectLocked, WrongAnswerError } from "../harness/answers.ts";
import type { Running } from "../harness/contestant.ts";
import { fastify, handWritten, hono, tokend } from "../harness/contestants.ts";
import { atLeast, figure, loadFigures } from "../harness/figures.ts";
import { listRequests } from "../harness/request-file.ts";
import { interleave } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { seededDatabase, TOKENS_PER_AGENT } from "../harness/seed.ts";
import { startAll } from "../harness/start-all.ts";
import { load } from "../harness/wrk.ts";

/** How many lists of an agent's tokens per second are answered. */
export const list: Row = { id: "list", work: "token list, 100 tokens", run };

async function run({ scale, peers }: RowContext): Promise<RowResult> {
  const launches = scale.quick ? 1_000 : 100_000;
  const contestants = [
    tokend,
    handWritten,
    ...(peers.hono ? [hono] : []),
    ...(peers.fastify ? [fastify] : []),
  ];
  await using all = await startAll(contestants, await seededDatabase(launches));
  await checkAnswers(all.servers);
  // Agents ask many times with one token: only the warm-up meets tokens that were not verified before.
  const requests = await listRequests(launches);
  const ask64 = ({ url }: Running, seconds: number) =>
    load({ script: "get", arguments: [requests], url, seconds });
  const measured = await interleave(all.servers, scale, ask64);

  const ours = figure(measured, tokend.name);
  const limit = figure(measured, handWritten.name);
  return {
    goals: [atLeast(ours.perSecond / limit.perSecond, 1, "the hand-written limit")],
    figures: loadFigures(measured, "lists"),
    notes: [],
  };
}

async function checkAnswers(servers: readonly Running[]): Promise<void> {
  const [token] = await tokensOf([1]);
  let first: { tokens?: unknown[] } | undefined;
  for (const server of servers) {
    const answer = await ask(server, "/api/v1/tokens/", { token });
    first ??= answer.body;
    if (first.tokens?.length !== TOKENS_PER_AGENT) {
      throw new WrongAnswerError(`${server.name} lists ${first.tokens?.length} tokens`);
    }
    expectAnswer(server, answer, 200, first);
    await expectLocked(server, "/api/v1/tokens/", String(token));
  }
}
