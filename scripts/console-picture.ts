import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../test/console/browser.ts";

/** Writes `docs/console.png`, `public.png` and `launch.png`: pages of the demo's sandbox. */
const root = join(import.meta.dir, "..");
const demo = Bun.spawn([process.execPath, join(root, "examples/demo.ts"), "--web"], {
  stdin: "ignore",
  stdout: "pipe",
  stderr: "inherit",
});

async function running(): Promise<{ url: string; keypair: string }> {
  let text = "";
  for await (const chunk of demo.stdout) {
    text += new TextDecoder().decode(chunk);
    const [, url, keypair] = /^(http\S+)\/a\/\S+\nThe agent's keypair is (.+)\.$/m.exec(text) ?? [];
    if (url && keypair) return { url, keypair };
  }
  throw new Error(`The demo ended:\n${text}`);
}

const POINTS = 96;
const DAY_MS = 86_400_000;

/** Spreads the prices of a demo, which has traded for seconds, over the day that the chart shows. */
async function asAfterADay(page: Page): Promise<void> {
  await page.route(/\/market\?/, async (route) => {
    const response = await route.fetch();
    const read = await response.json();
    const [from, to] = [read.curve[0].priceSOL, read.market?.priceSOL ?? 0];
    const prices = Array.from({ length: POINTS }, (_, n) => {
      const [grown, wave] = [(n / POINTS) ** 0.7, Math.sin(n / 6) + Math.sin(n / 2.3) / 2];
      const at = new Date(Date.now() - DAY_MS * (1 - n / POINTS)).toISOString();
      return {
        at,
        priceSOL: from + (to - from) * (grown + 0.09 * wave * Math.sin((3 * n) / POINTS)),
      };
    });
    await route.fulfill({ response, json: { ...read, prices } });
  });
}

/** The same of the time at which it was launched. */
async function launchedBefore(page: Page): Promise<void> {
  await page.route(/\/(tokens|t)\/\w{32,}$/, async (route) => {
    const response = await route.fetch();
    const at = new Date(Date.now() - DAY_MS).toISOString();
    const body = (await response.text()).replace(/"deployedAt":"[^"]+"/, `"deployedAt":"${at}"`);
    await route.fulfill({ response, body });
  });
}

async function picture(browser: Browser, name: string, show: (page: Page) => Promise<void>) {
  const viewport = { width: 1280, height: name === "public" ? 1000 : 760 };
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  await asAfterADay(page);
  await launchedBefore(page);
  await show(page);
  // The charts take the width that they have.
  await page.waitForTimeout(500);
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path: join(root, `docs/${name}.png`) });
  await page.unrouteAll({ behavior: "wait" });
  await page.close();
}

try {
  const { url, keypair } = await running();
  await using browser = await startBrowser();
  let publicPage = "";
  await picture(browser, "console", async (page) => {
    const wallet = ["tokend.sandbox-wallet", readFileSync(keypair, "utf8").trim()];
    await page.addInitScript(`localStorage.setItem(...${JSON.stringify(wallet)})`);
    await page.goto(`${url}/#/tokens`);
    await page.getByRole("button", { name: "Continue with the sandbox wallet" }).click();
    // What the demo has claimed.
    await page.getByText("0.14").first().waitFor();
    const link = await page.getByRole("link", { name: "DEMO" }).first().getAttribute("href");
    publicPage = `${url}/t/${link?.split("/").at(-1)}`;
  });
  await picture(browser, "public", async (page) => {
    await page.goto(publicPage);
    await page.getByText("more, and the token graduates").waitFor();
  });
  await picture(browser, "launch", async (page) => {
    await page.goto(`${url}/#/launch`);
    await page.getByRole("button", { name: /sandbox wallet/ }).click();
    await page.getByLabel("Name", { exact: true }).fill("Hats for agents");
    await page.getByLabel("Ticker").fill("HATS");
    await page.getByLabel("Description").fill("Every trade pays for the wool.");
    await page.getByText("It can be launched now.").click();
  });
} finally {
  demo.kill("SIGINT");
  await demo.exited;
}
