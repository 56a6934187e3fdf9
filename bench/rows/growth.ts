import { eventIdOf, tokensOf } from "../harness/agents.ts";
import { ask, expectAnswer, WrongAnswerError } from "../harness/answers.ts";
import type { Contestant, Running } from "../harness/contestant.ts";
import { start } from "../harness/contestant.ts";
import { handWritten, tokend, withoutChain } from "../harness/contestants.ts";
import { atMost, figure, ratio } from "../harness/figures.ts";
import { launchTokens, listRequests, statusRequests } from "../harness/request-file.ts";
import { interleave, type Measured } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { agentOf, seededDatabase, TOKENS_PER_AGENT } from "../harness/seed.ts";
import { type Load, load } from "../harness/wrk.ts";

/**
 * Launches add rows. Each of 64 connections pauses this long between them, in milliseconds, so that
 * the small database stays small.
 */
const LAUNCH_PAUSE_MS = 100;

/** How much slower the service is with more launches in the database. */
export const growth: Row = {
  id: "growth",
  work: "growth: 1,000,000 launches stored against 1,000",
  run,
};

const MOST = { p50: 1.2, p99: 1.5 } as const;

interface Grown {
  readonly name: string;
  readonly launches: number;
  readonly server: Running;
}

async function run({ scale, say }: RowContext): Promise<RowResult> {
  const sizes = [1_000, scale.quick ? 5_000 : 1_000_000];
  const contestant = withoutChain(tokend);
  await using stack = new AsyncDisposableStack();
  const all: Grown[] = [];
  const limits: Grown[] = [];
  for (const launches of sizes) {
    say(`seeding ${launches.toLocaleString("en")} launches`);
    all.push(await grow(stack, contestant, launches));
    limits.push(await grow(stack, handWritten, launches));
  }
  const goals = [];
  const lines = [];
  const grows = ([small, large]: Grown[], measured: Map<string, Measured>) => {
    const [before, after] = [
      figure(measured, String(small?.name)),
      figure(measured, String(large?.name)),
    ];
    return { p50: after.p50 / before.p50, p99: after.p99 / before.p99 };
  };
  const limitOf: string[] = [];
  for (const [work, measure] of Object.entries(works())) {
    const measured = await interleave([...all, ...limits], scale, measure);
    const ours = grows(all, measured);
    const limit = grows(limits, measured);
    limitOf.push(`${work} ${ratio(limit.p50)} × at p50 and ${ratio(limit.p99)} × at p99`);
    for (const at of ["p50", "p99"] as const) {
      const [own, other, most] = [ours[at], limit[at], MOST[at]];
      // If the hand-written server misses the goal, it is stated against that.
      const goal =
        other <= most
          ? atMost(own, most, `${work} ${at}`)
          : atMost(own / other, most, `the hand-written server's growth of ${work} ${at}`);
      goals.push(goal);
    }
    for (const [name, { perSecond, p50, p99 }] of measured) {
      const rate = Math.round(perSecond).toLocaleString("en");
      lines.push([`${work}, ${name}`, rate, p50.toFixed(2), p99.toFixed(2)]);
    }
  }
  return {
    goals,
    figures: { columns: ["", "per second", "p50 ms", "p99 ms"], lines },
    notes: [
      `The hand-written server grows to: ${limitOf.join("; ")}. Of a launch, an id that is random is`,
      "a random page of the index, and all of them must reach the disk.",
      `Launches come from 64 connections that each pause ${LAUNCH_PAUSE_MS} ms, so that the small`,
      "database stays small.",
    ],
  };
}

async function grow(
  stack: AsyncDisposableStack,
  contestant: Contestant,
  launches: number,
): Promise<Grown> {
  const server = stack.use(await start(contestant, await seededDatabase(launches)));
  const last = launches - 1;
  const [token] = await tokensOf([agentOf(last)]);
  const path = `/api/v1/tokens/launch/status/${eventIdOf(last)}`;
  const found = await ask(server, path, { token });
  expectAnswer(server, found, 200);
  if (found.body.status !== "success") throw new WrongAnswerError(JSON.stringify(found.body));
  const listed = await ask(server, "/api/v1/tokens/", { token });
  const { length } = listed.body.tokens as unknown[];
  if (length !== TOKENS_PER_AGENT) throw new WrongAnswerError(`${length} tokens are listed`);
  return { name: `${contestant.name}, ${launches.toLocaleString("en")} stored`, launches, server };
}

function works(): Record<string, (grown: Grown, seconds: number) => Promise<Load>> {
  let runs = 0;
  return {
    "status poll": async ({ launches, server: { url } }, seconds) =>
      load({ script: "get", arguments: [await statusRequests(launches)], url, seconds }),
    list: async ({ launches, server: { url } }, seconds) =>
      load({ script: "get", arguments: [await listRequests(launches)], url, seconds }),
    launch: async ({ launches, server: { url } }, seconds) => {
      const prefix = `G${(runs++).toString(36).toUpperCase().padStart(3, "0")}`;
      const tokens = await launchTokens(agentOf(launches));
      const words = [tokens, prefix, String(LAUNCH_PAUSE_MS)];
      return load({ script: "launch", arguments: words, url, seconds });
    },
  };
}
