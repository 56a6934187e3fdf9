import type { Browser, Page } from "playwright-core";
import { isBrowserMissing, startBrowser } from "../../test/console/browser.ts";
import { addressOf, tokenOf, walletOf } from "../harness/agents.ts";
import { WrongAnswerError } from "../harness/answers.ts";
import { start } from "../harness/contestant.ts";
import { tokend } from "../harness/contestants.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { databaseOf } from "../harness/seed.ts";
import { median } from "../harness/statistics.ts";

/** How soon the page shows something and all of an agent's tokens, and a phone a token's page. */
export const page: Row = { id: "page", work: "page of an agent with 1,000 tokens", run };

const TOKENS = 1_000;
const MOST_MS = 300;
/** A phone on a slow network, as Chromium's own tools emulate one. */
const PHONE = { bytesPerSecond: 1_600_000 / 8, latencyMs: 150, slowdown: 4, mostMs: 1_500 };
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
  const phone: number[] = [];
  for (let round = -1; round < scale.rounds * 3; round++) {
    // The first round reads the page from the disk.
    const measured = await measure(browser, server.url);
    const ofPhone = await measurePhone(browser, `${server.url}/t/${refs[0]?.tokenMint}`);
    if (round < 0) continue;
    times.push(measured);
    phone.push(ofPhone);
  }
  const of = (name: keyof PageTimes) => median(times.map((each) => each[name]));
  const [paint, phonePaint] = [of("paint"), median(phone)];
  return {
    goals: [
      {
        goal: `first contentful paint ≤ ${MOST_MS} ms`,
        reached: `${Math.round(paint)} ms`,
        isReached: paint <= MOST_MS,
      },
      {
        goal: `first contentful paint of a token's page on a slow phone ≤ ${PHONE.mostMs} ms`,
        reached: `${Math.round(phonePaint)} ms`,
        isReached: phonePaint <= PHONE.mostMs,
      },
    ],
    figures: {
      columns: ["", "ms"],
      lines: [
        ["first contentful paint", paint.toFixed(0)],
        ["all tokens are listed", of("listed").toFixed(0)],
        ["first contentful paint of a token's page on a slow phone", phonePaint.toFixed(0)],
      ],
    },
    notes: [
      "Chromium opens the page on loopback in a new profile, with the session of the agent.",
      `The slow phone has 1.6 Mbit/s, ${PHONE.latencyMs} ms to each answer and a quarter of the CPU, and no session.`,
    ],
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
    const listed = await page.evaluate<number>("performance.now()");
    return { paint: await paintOf(page), listed };
  } finally {
    await context.close();
  }
}

/** @returns milliseconds from the navigation to the first paint of a public page, on a slow phone */
async function measurePhone(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    const { bytesPerSecond, latencyMs, slowdown } = PHONE;
    await devTools.send("Network.enable");
    await devTools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    await page.goto(url);
    await page.getByText("Launched by").first().waitFor();
    return await paintOf(page);
  } finally {
    await context.close();
  }
}

async function paintOf(page: Page): Promise<number> {
  const paint = await page.evaluate<number | undefined>(
    `performance.getEntriesByName("first-contentful-paint")[0]?.startTime`,
  );
  if (paint === undefined) throw new WrongAnswerError("the page has painted nothing");
  return paint;
}
