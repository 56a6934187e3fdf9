import { type Browser, chromium, type Page } from "playwright-core";
import { findProgram } from "../../server/src/testing/find-program.ts";

const executablePath = Bun.which("chromium-browser") ?? findProgram("chromium");

export const isBrowserMissing = executablePath === null;

/** Starts a browser without a window. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
}

/** A page of its own profile, and what went wrong on it. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts and of the Content-Security-Policy. */
  readonly faults: string[];
  /** Requests to other hosts than the server. */
  readonly foreign: string[];
}

/**
 * Opens the console in a new profile.
 *
 * @param prepare runs in the page before its own script, for example to inject a wallet
 */
export async function openConsole(
  browser: Browser,
  url: string,
  prepare?: string,
  viewport = { width: 1100, height: 800 },
): Promise<TestPage> {
  const context = await browser.newContext({ viewport, acceptDownloads: true });
  const faults: string[] = [];
  const foreign: string[] = [];
  if (prepare !== undefined) await context.addInitScript(prepare);
  const page = await context.newPage();
  // A hundred times what a quiet machine needs: only what hangs takes so long.
  page.setDefaultTimeout(120_000);
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
  await page.goto(url);
  return { page, faults, foreign, [Symbol.asyncDispose]: () => context.close() };
}
