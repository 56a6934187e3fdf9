import { afterAll, beforeAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Keypair } from "@solana/web3.js";
import type { Browser, Page } from "playwright-core";
import { buildConsole } from "../../console/build.ts";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { BUILT, NO_RATE_LIMITS, tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";
import { openConsole, SharedPage, startBrowser, type TestPage } from "./browser.ts";
import type { TestWallet, WalletManner } from "./standard-wallet.ts";

/** Starts a server whose data is in `data` of a folder. */
export const serve = (folder: string, env: Readonly<Record<string, string>> = {}) =>
  startHere({ PORT: "0", DATA_DIR: join(folder, "data"), ...NO_RATE_LIMITS, ...env });

/** A browser and a server on a sandbox, which the tests of a file share. */
export class Scene {
  readonly #folder = tempDir();
  #server: Awaited<ReturnType<typeof serve>> | undefined;
  #browser: Browser | undefined;
  #shared: SharedPage | undefined;

  /** Starts both before the tests of the caller's `describe`, and stops them after. */
  static ofTests(): Scene {
    const scene = new Scene();
    beforeAll(() => scene.#start());
    afterAll(() => scene.#stop());
    return scene;
  }

  async #start(): Promise<void> {
    if (!BUILT) await buildConsole();
    this.#browser = await startBrowser();
    this.#server = await serve(this.#folder.path, { POOL_WATCH_SECONDS: "1" });
  }

  async #stop(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  get url(): string {
    return started(this.#server).url;
  }

  /** Opens the console; see {@link SharedPage.open}. */
  open(url = `${this.url}/#/tokens`, wallet?: TestWallet): Promise<TestPage> {
    this.#shared ??= new SharedPage(started(this.#browser));
    return this.#shared.open(url, wallet);
  }

  /** Opens an empty page in a new profile, for what must be there before the console, such as a clock. */
  openEmpty(wallet?: TestWallet): Promise<TestPage> {
    return openConsole(started(this.#browser), "about:blank", wallet);
  }

  async signedIn(
    manner: WalletManner = "signs",
    keypair = generateKeypair(),
  ): Promise<TestPage & { keypair: Keypair; asked: () => Promise<string[]> }> {
    const opened = await this.open(undefined, { keypair, manner });
    await button(opened.page, "Test Wallet").click();
    await button(opened.page, "Sign out").waitFor();
    const asked = () => opened.page.evaluate<string[]>("globalThis.asked");
    return { ...opened, keypair, asked };
  }

  /** A client of the same wallet, which does what the test does not show. */
  clientOf(keypair: Keypair, apiUrl = this.url): TokenctlClient {
    return new TokenctlClient({ apiUrl, signer: keypairSigner(keypair) });
  }

  /** Gives a wallet a token with 0.01 SOL of fees. @returns its mint */
  async tokenWithFees(keypair: Keypair, ticker: string): Promise<string> {
    const client = this.clientOf(keypair);
    const { eventId } = await client.launch({ name: ticker, ticker });
    const { tokenMint } = await client.waitForLaunch(eventId);
    await client.dev.airdrop({ sol: 1 });
    await client.dev.trade({ tokenMint: tokenMint ?? "", side: "buy", sol: 1 });
    return tokenMint ?? "";
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the scene has not started");
  return part;
}

export const button = (page: Page, name: string | RegExp, exact = true) =>
  page.getByRole("button", { name, exact });

/** Minified, unlike the source that the package exports: each document loads it. */
const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * @param rules what axe checks: all, or only what another theme can change
 * @param part the selector of what it looks at. Default: the page
 */
export async function expectAccessible(
  page: Page,
  rules: "all" | "colors" = "all",
  part = "html",
): Promise<void> {
  // As the page's own, so that its Content-Security-Policy need not allow it.
  if (!(await page.evaluate("Boolean(globalThis.axe)"))) await page.evaluate(AXE);
  const options = {
    resultTypes: ["violations"],
    ...(rules === "colors" && { runOnly: ["color-contrast", "link-in-text-block"] }),
  };
  const violations = await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
  );
  expect(violations).toEqual([]);
}

/**
 * Looks at a screen, or a part of it: at each width nothing is cut. What the narrowest and the widest show,
 * which is all that any shows, is accessible, and legible in both themes.
 */
export async function fits(page: Page, screen: string, widths: readonly number[], part?: string) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const [isFirst, isLast] = [width === widths[0], width === widths.at(-1)];
    await page.emulateMedia({ colorScheme: "light" });
    if (isFirst || isLast) await expectAccessible(page, "all", part);
    await page.emulateMedia({ colorScheme: "dark" });
    if (isFirst) await expectAccessible(page, "colors", part);
    const found = await page.evaluate(MISFITS);
    const none = {
      overflow: 0,
      spilled: [],
      broken: [],
      divided: [],
      squeezed: [],
      lifted: [],
      small: [],
    };
    expect({ width, screen, found }).toEqual({ width, screen, found: none });
  }
}

const MISFITS = `({
  overflow: Math.max(...[...document.querySelectorAll("html, dialog")].map((it) =>
    it.scrollWidth - it.clientWidth)),
  spilled: [...document.querySelectorAll(".address, .address > [aria-hidden]")].filter((it) =>
    it.scrollWidth > it.clientWidth + 1).map((it) => it.textContent),
  broken: [...document.querySelectorAll(".button, nav a")].filter((it) =>
    it.clientHeight > 62 || it.offsetLeft < 0 || it.scrollWidth > it.clientWidth + 1).map((it) => it.textContent),
  divided: [...document.querySelectorAll("code span, .steps span:not(.mark)")].filter((it) =>
    it.textContent.length < 20 && (it.getClientRects().length > 1 || it.clientHeight > 24))
    .map((it) => it.textContent),
  squeezed: [...document.querySelectorAll(".item .main, .receipt dt")].filter((it) => it.clientWidth < 80)
    .map((it) => it.textContent),
  lifted: [...document.querySelectorAll(".inline")].map((it) =>
    ["input", ".button"].map((part) => it.querySelector(part).getBoundingClientRect().bottom))
    .filter(([input, button]) => button < input - 1),
  small: [...document.querySelectorAll("button, .button, nav a, input:not([type=file]), textarea")]
    .filter((it) => it.type !== "range")
    // A finger hits the label around it, too.
    .filter((it) => (it.closest("label") ?? it).getBoundingClientRect().height < 44)
    .map((it) => it.outerHTML),
})`;
