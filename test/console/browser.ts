import { type Browser, chromium, type Page } from "playwright-core";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { injectWallet, type TestWallet } from "./standard-wallet.ts";

const executablePath = findProgram("chromium");
const VIEWPORT = { width: 1100, height: 800 };
const STILL = { colorScheme: null, reducedMotion: "reduce" } as const;
/** A hundred times what a quiet machine needs: only what hangs takes so long. */
const LONGEST_MS = 120_000;

export const isBrowserMissing = executablePath === null;

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
}

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  readonly faults: string[];
  /** Requests to other hosts than the server. */
  readonly foreign: string[];
}

/** Opens the console in a new profile, with an injected wallet if one is given. */
export async function openConsole(
  browser: Browser,
  url: string,
  wallet?: TestWallet,
): Promise<TestPage> {
  const page = await newPage(browser);
  if (wallet) await injectWallet(page, wallet);
  const found = watch(page, url);
  await page.goto(url);
  return { page, ...found, [Symbol.asyncDispose]: () => page.context().close() };
}

async function newPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT, ...STILL });
  page.setDefaultTimeout(LONGEST_MS);
  return page;
}

/**
 * A page that tests use in turn: a new one costs four times as much, mostly for its process. Each test
 * finds it as in a new profile.
 */
export class SharedPage {
  readonly #browser: Browser;
  #page: Page | undefined;
  #isUsed = false;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /**
   * Opens the console, with an injected wallet if one is given; in a new profile while another has the
   * page. Disposing leaves the page to the next.
   */
  async open(url: string, wallet?: TestWallet): Promise<TestPage> {
    if (this.#isUsed) return openConsole(this.#browser, url, wallet);
    this.#isUsed = true;
    this.#page ??= await newPage(this.#browser);
    const page = this.#page;
    const injected = wallet && (await injectWallet(page, wallet));
    const found = watch(page, url);
    {
      // The last document is gone when this runs, and the page's own script has not begun.
      await using _ = await page.addInitScript("sessionStorage.clear(); localStorage.clear()");
      await load(page, url);
    }
    const leave = async () => {
      await injected?.[Symbol.asyncDispose]();
      await reset(page);
      this.#isUsed = false;
    };
    return { page, ...found, [Symbol.asyncDispose]: leave };
  }
}

/**
 * Loads a document, also if its address differs from the last one's only after the hash. By way of an
 * empty page it would cost twice as much, for another process.
 */
export async function load(page: Page, url: string): Promise<void> {
  if (page.url() !== "about:blank") await page.evaluate('history.replaceState(null, "", "/-")');
  await page.goto(url);
}

/** Undoes what a test may have set. */
async function reset(page: Page): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  page.removeAllListeners();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  await context.clearCookies();
  await context.clearPermissions();
  const devTools = await context.newCDPSession(page);
  await devTools.send("Network.clearBrowserCache");
  await devTools.detach();
  await page.emulateMedia(STILL);
  await page.setViewportSize(VIEWPORT);
}

function watch(page: Page, url: string): Pick<TestPage, "faults" | "foreign"> {
  const faults: string[] = [];
  const foreign: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // Answers of 4xx are part of the tests.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      faults.push(message.text());
    }
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== new URL(url).origin) foreign.push(request.url());
  });
  return { faults, foreign };
}
