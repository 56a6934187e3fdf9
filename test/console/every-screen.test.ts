import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import type { Page, Route } from "playwright-core";
import { isBrowserMissing, load, type TestPage } from "./browser.ts";
import { button, fits, Scene } from "./scene.ts";

setDefaultTimeout(300_000);

/** Longer than any line, and markup that would say so if it ran. */
const HOSTILE = `<img src=x onerror="globalThis.hacked=1"> & ${"W".repeat(300)}`;

interface Screen {
  readonly name: string;
  /** After the server's address; `MINT`, `EVENT` and `WALLET` stand for the token, its launch and agent. */
  readonly path: string;
  readonly isOpen?: true;
  readonly shows: string;
}

const SCREENS: readonly Screen[] = [
  { name: "tokens", path: "/#/tokens", shows: "Earned in total" },
  { name: "launch", path: "/#/launch", shows: "Place in the queue" },
  { name: "progress", path: "/#/launch/EVENT", shows: "It is on chain and can be traded." },
  { name: "activity", path: "/#/activity", shows: "on chain" },
  { name: "settings", path: "/#/settings", shows: "Webhooks" },
  { name: "token", path: "/#/token/MINT", shows: "Hand over" },
  { name: "no screen", path: "/#/nowhere", shows: "There is no such page" },
  { name: "landing", path: "/", isOpen: true, shows: "Graduating" },
  { name: "public page", path: "/t/MINT", isOpen: true, shows: "A sandbox: nothing here" },
  { name: "profile", path: "/a/WALLET", isOpen: true, shows: "Earned on bonding curves" },
];

/** Pages of words, which have no script. */
const WORDS: readonly Screen[] = [
  { name: "what is charged", path: "/fees", isOpen: true, shows: "How to check it" },
  { name: "status", path: "/status", isOpen: true, shows: "All systems work" },
];

/** Which of the answers that are still held comes as the nth: the last, the first, or any. */
const ORDERS: readonly ((held: number, nth: number) => number)[] = [
  (held) => held - 1,
  () => 0,
  (held, nth) => (7 * nth + 3) % held,
];

const screenOf = (name: string) => SCREENS.find((screen) => screen.name === name) as Screen;

const SENT = [
  {
    of: "launch",
    presses: "Launch",
    fill: { Name: "Twice", Ticker: "TWICE" },
    sends: /\/tokens\/launch$/,
  },
  { of: "token", presses: "Claim", fill: {}, sends: /\/claims\/\w{32,}$/ },
  {
    of: "settings",
    presses: "Add",
    fill: { "Address of a receiver": "http://127.0.0.1:9/twice" },
    sends: /\/webhooks$/,
  },
];

/** A wallet with a long name. */
const LONG_WALLET = `addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register({
  version: "1.0.0",
  name: "Wallet of a long name",
  icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>",
  chains: ["solana:mainnet"],
  accounts: [],
  features: { "solana:signMessage": {}, "solana:signTransaction": {} },
}))`;

/** `first` is a script that the page runs before. */
const DIALOGS = [
  { of: "tokens", opens: "Claim all" },
  { of: "tokens", opens: "Claim all", paysTo: Keypair.generate().publicKey.toBase58() },
  { of: "token", opens: "Claim" },
  {
    of: "token",
    opens: "Hand over …",
    fill: { label: "Address of the other wallet", text: Keypair.generate().publicKey.toBase58() },
  },
  { of: "settings", opens: "Remove …" },
  { of: "public page", opens: "Sign in", first: LONG_WALLET },
];

describe.skipIf(isBrowserMissing)("every screen of the console", () => {
  const scene = Scene.ofTests();
  let [mint, eventId] = ["", ""];
  let address = "";
  let wallet: TestPage;
  let guest: TestPage;

  beforeAll(async () => {
    const keypair = Keypair.generate();
    address = keypair.publicKey.toBase58();
    const client = scene.clientOf(keypair);
    const launched = await client.launch({
      name: HOSTILE.slice(0, 255),
      ticker: "WWWWWWWWWW",
      onChainName: "W".repeat(32),
      description: HOSTILE.repeat(3).slice(0, 1_000),
      website: `https://example.com/${"w".repeat(200)}`,
    });
    eventId = launched.eventId;
    mint = (await client.waitForLaunch(eventId)).tokenMint ?? "";
    await client.dev.airdrop({ sol: 3 });
    await client.dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
    await client.claim(mint);
    await client.dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
    await client.webhooks.create({ url: `http://127.0.0.1:9/${"w".repeat(900)}` });
    await client.setFeeThreshold({ claimableSOL: 123_456.789_012_345 });
    while (!(await client.market(mint)).market) await Bun.sleep(100);
    [wallet, guest] = [await scene.openEmpty({ keypair }), await scene.openEmpty()];
    for (const { page } of [wallet, guest]) await page.clock.install();
    await wallet.page.goto(`${scene.url}/#/tokens`);
    await button(wallet.page, "Test Wallet").click();
    await button(wallet.page, "Sign out").waitFor();
    // What this screen still reads would never be answered once another is shown.
    await ready(wallet.page, screenOf("tokens"));
  });
  const pageOf = ({ isOpen }: Screen) => (isOpen ? guest : wallet).page;

  const pathOf = ({ path }: Screen) =>
    path.replace("MINT", mint).replace("EVENT", eventId).replace("WALLET", address);

  async function show(screen: Screen): Promise<Page> {
    const page = pageOf(screen);
    const path = pathOf(screen);
    if (screen.isOpen) {
      await load(page, scene.url + path);
    } else {
      await page.evaluate('location.hash = "#/nowhere"');
      await page.getByText("There is no such page").waitFor();
      await page.evaluate(`location.href = "${path}"`);
    }
    return page;
  }

  /** Waits until a screen has read what it shows. */
  async function ready(page: Page, { shows }: Screen): Promise<void> {
    await page.locator("main").getByText(shows).first().waitFor();
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
  }

  /** Opens a screen, answers what it reads in this order, and returns how many answers that were. */
  async function showSlowly(screen: Screen, order: (typeof ORDERS)[number]): Promise<number> {
    const page = pageOf(screen);
    const asked: string[] = [];
    const held: Route[] = [];
    let isHeld = true;
    await page.route(isRead, async (route) => {
      asked.push(route.request().url());
      if (isHeld) held.push(route);
      else await route.continue();
    });
    // A page that is hidden reads nothing again at intervals, however long this takes.
    await using _ = await page.addInitScript(HIDE);
    await page.evaluate(HIDE);
    // Until then the last screen may still read what it shows.
    const arrived = () => {
      if (page.url() === scene.url + pathOf(screen)) asked.length = 0;
    };
    page.on("framenavigated", arrived);
    await show(screen);
    page.off("framenavigated", arrived);
    if (!["no screen", "landing", "profile"].includes(screen.name))
      await page.locator(".skeleton").first().waitFor();
    await page.evaluate(WATCH_SHIFTS);
    const next = (nth: number) => held.splice(order(held.length, nth) || 0, 1)[0];
    let answers = 0;
    for (let route = next(0); route; route = next(++answers)) {
      const url = route.request().url();
      const answered = page.waitForResponse((response) => response.url() === url);
      await route.continue();
      await answered;
      await page.evaluate("new Promise(requestAnimationFrame)");
    }
    isHeld = false;
    await ready(page, screen);
    expect(Number(await page.evaluate("moved"))).toBeLessThan(MOST_SHIFT);
    expect(asked).toEqual([...new Set(asked)]);
    await page.evaluate("delete document.visibilityState");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    return answers;
  }

  test.each(SCREENS)(
    "slow answers show the shape of $name, move nothing in whatever order they come, and are asked for once",
    async (screen) => {
      for (const [n, order] of ORDERS.entries()) {
        const answers = await showSlowly(screen, order);
        // So few answers have no other order.
        if (answers <= n + 1) break;
      }
    },
  );

  test("a page without a network recovers by itself", async () => {
    const screen = screenOf("tokens");
    const page = pageOf(screen);
    await page.route(isFetched, (route) => route.abort());
    await show(screen);
    await page.clock.fastForward(60_000);
    await page.getByText("This page tries again by itself").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.clock.fastForward(60_000);
    await ready(page, screen);
    expect(await page.locator(".banner, .problem").count()).toBe(0);
  });

  test.each(SCREENS)(
    "the keyboard reaches every action of $name, and shows where it is",
    async (screen) => {
      const page = await show(screen);
      await ready(page, screen);
      await page.setViewportSize({ width: 360, height: 640 });
      const actions = await page.evaluate<string[]>(
        `[...document.querySelectorAll(${ACTIONS})].filter((it) => it.checkVisibility()).map(${NAME})`,
      );
      await page.locator(".skip").focus();
      const reached = [actions[0] ?? ""];
      while (reached.length < actions.length) {
        await page.keyboard.press("Tab");
        const [name, fault] = await page.evaluate<[string, string]>(FOCUSED);
        expect([name, fault]).toEqual([name, ""]);
        reached.push(name);
      }
      expect(reached.toSorted()).toEqual(actions.toSorted());
    },
  );
  test.each(SENT)(
    "$presses on $of is sent once, however often it is pressed while the answer is slow",
    async ({ of, presses, fill, sends }) => {
      const screen = screenOf(of);
      const page = await show(screen);
      await ready(page, screen);
      let sent = 0;
      const [arrived, goOn, answered] = [
        Promise.withResolvers<void>(),
        Promise.withResolvers<void>(),
        Promise.withResolvers<void>(),
      ];
      await page.route(sends, async (route) => {
        if (route.request().method() === "GET") {
          await route.continue();
        } else {
          sent++;
          arrived.resolve();
          await goOn.promise;
          await route.fulfill({
            status: 400,
            json: { error: "Refused", code: "validation_failed" },
          });
          answered.resolve();
        }
      });
      for (const [label, text] of Object.entries(fill)) await page.getByLabel(label).fill(text);
      await button(page, presses).focus();
      for (let times = 0; times < 3; times++) await page.keyboard.press("Enter");
      await arrived.promise;
      await page.keyboard.press("Enter");
      await page.evaluate("new Promise(requestAnimationFrame)");
      expect(sent).toBe(1);
      // It never arrives: the next test finds the wallet as it was.
      goOn.resolve();
      await answered.promise;
      await page.unrouteAll({ behavior: "ignoreErrors" });
    },
  );

  test("where the page asked too often, it says in how many seconds it asks again, and does", async () => {
    const screen = screenOf("landing");
    const page = await show(screen);
    await ready(page, screen);
    // Nothing else reads the list again.
    await page.evaluate(HIDE);
    let asked = 0;
    await page.route(/\/t\/list\?/, (route) => {
      if (asked++ > 0) return route.continue();
      const json = { error: "Too many requests", code: "too_many_requests" };
      return route.fulfill({ status: 429, headers: { "retry-after": "40" }, json });
    });
    await button(page, "Top").click();
    await page.getByText(/This page tries again in (40|39) s/).waitFor();
    expect(asked).toBe(1);
    await page.clock.fastForward(41_000);
    await page.locator(".problem").waitFor({ state: "detached" });
    expect(asked).toBe(2);
    await page.evaluate("delete document.visibilityState");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test.each(DIALOGS)(
    "the dialog of $opens keeps the keyboard, is accessible, and gives the focus back",
    async ({ of, opens, fill, paysTo, first }) => {
      const screen = screenOf(of);
      const keep = `localStorage["tokend.payout.${address}"] = ${JSON.stringify(paysTo ?? "")}`;
      await pageOf(screen).evaluate(keep);
      const page = await show(screen);
      await ready(page, screen);
      if (first) await page.evaluate(first);
      if (fill) await page.getByLabel(fill.label).fill(fill.text);
      await button(page, opens).focus();
      const opener = await page.evaluate(`${NAME}(document.activeElement)`);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      if (first) await button(page, "Wallet of a long name").waitFor();
      for (let presses = 0; presses < 5; presses++) {
        // Beside the dialog, the browser's own window has the focus.
        expect(await page.evaluate(IS_HELD)).toBe(true);
        await page.keyboard.press("Tab");
      }
      await page.evaluate(NAME_WALLET);
      // What is behind it, other tests have looked at.
      await fits(page, of, [320, 360, 1440], "dialog[open]");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.evaluate(`${NAME}(document.activeElement)`)).toBe(opener);
    },
  );

  test("what every page loads is kept for a year by its hash", async () => {
    const html = await (await fetch(scene.url)).text();
    const files = [...html.matchAll(/(?:src|href)="(assets\/\S+-\w+\.(?:js|css))"/g)];
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const [, file] of files) {
      const { status, headers } = await fetch(`${scene.url}/${file}`);
      const kept = [status, headers.get("cache-control")];
      expect(kept).toEqual([200, "public, max-age=31536000, immutable"]);
    }
  });

  test.each([...SCREENS, ...WORDS])(
    "$name fits at each width in both themes, is accessible, and shows hostile texts as texts",
    async (screen) => {
      const page = await show(screen);
      await ready(page, screen);
      await fits(page, screen.name, [320, 360, 768, 1440]);
      expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
      for (const [media, misfits] of MEDIA) {
        await page.emulateMedia(media);
        const found = await page.evaluate(misfits);
        await page.emulateMedia({ forcedColors: null, media: null });
        expect({ media, found }).toEqual({ media, found: [] });
      }
      const { faults, foreign } = screen.isOpen ? guest : wallet;
      const others = foreign.filter((url) => !url.startsWith(scene.url));
      expect({ faults, others }).toEqual({ faults: [], others: [] });
    },
  );
});

/** Whether a screen reads this; the stream of events has no end. */
const isRead = ({ pathname }: URL) =>
  /^\/(api|public|metadata|t\/list)/.test(pathname) && !pathname.endsWith("/stream");
/** As browsers measure it; people notice 0.1. */
const MOST_SHIFT = 0.02;
const HIDE =
  'Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })';
const WATCH_SHIFTS = `{
  globalThis.moved = 0;
  globalThis.watching?.disconnect();
  globalThis.watching = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) moved += entry.value;
  });
  watching.observe({ type: "layout-shift" });
}`;

const isFetched = ({ pathname }: URL) => pathname === "/health" || isRead({ pathname } as URL);

/** The keyboard reaches a group of radio buttons once. */
const ACTIONS =
  '"a[href], button, input:not([type=radio]:not(:checked)), select, textarea, summary"';
const NAME =
  '((it) => [it.localName, it.ariaLabel ?? it.name, it.textContent].join(" ").slice(0, 80))';
/** What has the focus, and why that is not seen. */
const FOCUSED = `(() => {
  const it = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(it);
  const { left, top, width, height } = it.getBoundingClientRect();
  const at = document.elementFromPoint(left + width / 2, top + Math.min(height, 40) / 2);
  const faults = [
    outlineStyle === "none" || parseFloat(outlineWidth) < 2 ? "no outline" : "",
    it.contains(at) || at?.contains(it) ? "" : "under " + at?.outerHTML.slice(0, 80),
  ];
  return [(${NAME})(it), faults.join("")];
})()`;

const NAME_WALLET = `for (const it of document.querySelectorAll("dialog .primary"))
  it.textContent = "Sign with Wallet of a very long name"`;
const IS_HELD =
  'document.activeElement === document.body || document.activeElement.closest("dialog") !== null';

const wrong = (selector: string, isWrong: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((it) => it.checkVisibility())
    .filter((it) => { const style = getComputedStyle(it); return ${isWrong}; })
    .map((it) => it.outerHTML.slice(0, 120))`;

/** What a person's own colours would hide, and what is of no use on paper. */
const MEDIA = [
  [
    { forcedColors: "active" },
    wrong(
      '.switch [aria-pressed="true"], nav a[aria-current]',
      'style.outlineStyle !== "solid" && style.borderStyle !== "solid"',
    ),
  ],
  [{ media: "print" }, wrong("nav, .notices, .skip, .button, .switch", "true")],
] as const;
