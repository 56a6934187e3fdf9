import type { Browser } from "playwright-core";
import { isBrowserMissing, startBrowser } from "../../test/console/browser.ts";
import { addressOf, tokenOf, walletOf } from "../harness/agents.ts";
import { WrongAnswerError } from "../harness/answers.ts";
import { start } from "../harness/contestant.ts";
import { tokend } from "../harness/contestants.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { databaseOf } from "../harness/seed.ts";
import { median } from "../harness/statistics.ts";

/** How soon the page shows something, and all of an agent's tokens. */
export const page: Row = { id: "page", work: "page of an agent with 1,000 tokens", run };

const TOKENS = 1_000;
const MOST_MS = 300;
const WALLET = walletOf(1);

async function run({ scale }: RowContext): Promise<RowResult | string> {
  if (isBrowserMissing) return "needs chromium";
  const refs = Array.from({ length: TOKENS }, (_, n) => ({
    tokenMint: addressOf(`mint ${n}`),
    poolAddress: addressOf(`pool ${n}`),
  }));
  await using server = await start(tokend, await databaseOf(WALLET, refs));
  await using browser = await startBrowser();
  const times: PageTimes[] = [];
  for (let round = -1; round < scale.rounds * 3; round++) {
    const measured = await measure(browser, server.url);
    // The first reads the page from the disk.
    if (round >= 0) times.push(measured);
  }
  const of = (name: keyof PageTimes) => median(times.map((each) => each[name]));
  const paint = of("paint");
  return {
    goals: [
      {
        goal: `first contentful paint ≤ ${MOST_MS} ms`,
        reached: `${Math.round(paint)} ms`,
        isReached: paint <= MOST_MS,
      },
    ],
    figures: {
      columns: ["", "ms"],
      lines: [
        ["first contentful paint", paint.toFixed(0)],
        ["all tokens are listed", of("listed").toFixed(0)],
      ],
    },
    notes: ["Chromium opens the page on loopback in a new profile, with the session of the agent."],
  };
}

interface PageTimes {
  readonly paint: number;
  readonly listed: number;
}

/** @returns milliseconds since the navigation began */
async function measure(browser: Browser, url: string): Promise<PageTimes> {
  const context = await browser.newContext();
  try {
    const session = JSON.stringify({ token: await tokenOf(WALLET), walletName: "Bench" });
    await context.addInitScript(
      `localStorage.setItem("tokend.session", ${JSON.stringify(session)})`,
    );
    const page = await context.newPage();
    await page.goto(`${url}/#/tokens`);
    // The first fifty are shown until a click.
    await page.getByRole("button", { name: `Show all ${TOKENS}` }).click();
    const items = page.locator("main .item");
    await items.nth(TOKENS - 1).waitFor({ state: "attached" });
    const [listed, paint] = await page.evaluate<[number, number | undefined]>(
      `[performance.now(), performance.getEntriesByName("first-contentful-paint")[0]?.startTime]`,
    );
    if (paint === undefined) throw new WrongAnswerError("the page has painted nothing");
    return { paint, listed };
  } finally {
    await context.close();
  }
}
