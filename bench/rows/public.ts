import { addressOf } from "../harness/agents.ts";
import { ask, expectAnswer } from "../harness/answers.ts";
import { start } from "../harness/contestant.ts";
import { tokend } from "../harness/contestants.ts";
import { atLeast, figure, loadFigures } from "../harness/figures.ts";
import { pageRequests } from "../harness/request-file.ts";
import { interleave } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { seededDatabase } from "../harness/seed.ts";
import { load } from "../harness/wrk.ts";

/** How many pages of tokens per second are answered to people and crawlers. */
export const publicPages: Row = { id: "public", work: "public pages of 400 tokens", run };

const TOKENS = 400;

async function run({ scale }: RowContext): Promise<RowResult> {
  await using server = await start(tokend, await seededDatabase(1_000));
  const paths = Array.from({ length: TOKENS }, (_, n) => `/t/${addressOf(`mint ${n}`)}`);
  expectAnswer(server, await ask(server, "/health", {}), 200);
  const pages = [
    { name: "start", requests: pageRequests("start", ["/"]) },
    { name: "tokens", requests: pageRequests("tokens", paths) },
  ];
  const measured = await interleave(pages, scale, ({ requests }, seconds) =>
    load({ script: "get", arguments: [requests], url: server.url, seconds }),
  );
  const [ofStart, ofTokens] = pages.map(({ name }) => figure(measured, name));
  return {
    goals: [atLeast((ofTokens?.perSecond ?? 0) / (ofStart?.perSecond ?? 1), 0.5, "the start page")],
    figures: loadFigures(measured, "pages"),
    notes: ["A page that was made is kept for five seconds."],
  };
}
