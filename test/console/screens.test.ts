import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import type { TokenctlClient } from "../../sdk/src/index.ts";
import { GIF, pngImage } from "../support/images.ts";
import { isBrowserMissing } from "./browser.ts";
import { button, expectAccessible, Scene } from "./scene.ts";

setDefaultTimeout(300_000);

describe.skipIf(isBrowserMissing)("the console's screens", () => {
  const scene = Scene.ofTests();

  test("a newcomer sees a token's whole life with the sandbox's wallet", async () => {
    await using opened = await scene.open();
    const { page, faults, foreign } = opened;
    // By the keyboard alone: the dialog has the focus.
    await page.locator("dialog button:focus").filter({ hasText: "sandbox wallet" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("No tokens yet").last().waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Launch a token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("A name that has more than 32 bytes");
    await page.getByText('where it would be "A name that has more than 32 byt"').waitFor();
    await page.getByRole("checkbox", { name: "Shorten it" }).check();
    await page.getByLabel("Ticker").fill("WIFHAT");
    await page.getByLabel("Name", { exact: true }).fill("Wif hat");
    await page.getByLabel("Ticker").fill("w");
    await page.getByLabel("Ticker").fill("wifhat");
    await page.getByText("It can be launched now.").waitFor();
    await page.getByLabel("Website").fill("not a link");
    await page.locator("#website-problem").waitFor();
    await page.getByLabel("Website").fill("https://wif.example");
    await page.getByText("It can be launched now.").waitFor();
    await page
      .getByLabel("Image", { exact: true })
      .setInputFiles({ name: "wif.gif", mimeType: "image/gif", buffer: GIF });
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();

    await page.getByRole("link", { name: "See the token" }).click();
    await page.getByRole("heading", { name: /WIFHAT/ }).waitFor();
    const tokenMint = page.url().split("/").at(-1) ?? "";
    const trader = scene.clientOf(Keypair.generate());
    await trader.dev.airdrop({ sol: 3 });
    const buy = async () => {
      await trader.dev.trade({ tokenMint, side: "buy", sol: 1 });
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    };
    await buy();
    await button(page, "Claim").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "You receive 0.00999 SOL" }).waitFor();
    await dialog.getByText("Fees of WIFHAT").waitFor();
    await dialog.getByRole("button", { name: "Sign with Sandbox wallet" }).click();
    await page.getByText("Paid out0.01 SOL", { exact: true }).waitFor();
    await buy();
    await button(page, "Claim").click();
    await button(page, "Not now").click();
    await page.getByText("You declined; nothing was signed").waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Activity" }).click();
    // No explorer knows the sandbox.
    const claimed = page.getByRole("listitem").filter({ hasText: "0.01 SOL" });
    expect(await claimed.textContent()).toMatch(/^Fees of WIFHAT paid out.*\w{8}…0\.01 SOL$/);
    expect(await claimed.getByRole("link").allTextContents()).toEqual(["Fees of WIFHAT paid out"]);
    await page.getByRole("heading", { name: /^\w{3} \d+$/ }).waitFor();
    await button(page, "Launches").click();
    await page.getByRole("link", { name: "WIFHAT is on chain" }).waitFor();
    await claimed.waitFor({ state: "detached" });
    await page.goBack();
    await page.getByRole("heading", { name: /WIFHAT/ }).waitFor();

    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("a token's page needs no sign-in, and shows the token's own words as text", async () => {
    const client = scene.clientOf(Keypair.generate());
    const name = `עב "><script>alert(1)</script> & <b>'$&`;
    // Accents higher than the line, which cover nothing that the page says.
    const description = `${"o\u0306".padEnd(60, "\u0306")} `.repeat(12);
    const twitter = "https://x.com/preview";
    const words = { name, onChainName: "Preview", description, twitter };
    const { eventId } = await client.launch({ ...words, ticker: "PREVIEW" });
    const { tokenMint } = await client.waitForLaunch(eventId);
    await using opened = await scene.open(`${scene.url}/t/${tokenMint}`);
    const { page, faults, foreign } = opened;
    expect(await page.title()).toBe(`${name} (PREVIEW)`);
    await page.getByText(name, { exact: true }).waitFor();
    const direction = 'getComputedStyle(document.querySelector(".called .clip")).direction';
    expect(await page.evaluate(direction)).toBe("rtl");
    await page.getByText("the creator gets 100 %").first().waitFor();
    const link = page.getByRole("link", { name: "X", exact: true });
    expect(await link.getAttribute("rel")).toContain("noopener");
    const verdict = page.locator(".verdict");
    const covered = await verdict.screenshot();
    await page.evaluate('document.querySelector(".description").textContent = "."');
    expect(covered).toEqual(await verdict.screenshot());
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    await page.goto(`${scene.url}/t/${Keypair.generate().publicKey}`);
    await page.getByText("This service has launched no such token").waitFor();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await button(page, "Sign in").click();
    await button(page, /sandbox wallet/).waitFor();
    const phantom = page.getByRole("link", { name: "Open in Phantom" });
    expect(await phantom.getAttribute("href")).toContain(encodeURIComponent(page.url()));
    await devTools.detach();
  });

  test("a browser that may store nothing shows a token's page, and launches", async () => {
    const { url } = scene;
    const client = scene.clientOf(Keypair.generate());
    const { eventId } = await client.launch({ name: "Unstored", ticker: "UNSTORED" });
    const { tokenMint } = await client.waitForLaunch(eventId);
    await using opened = await scene.openEmpty();
    const { page, faults } = opened;
    // As Chromium does if its user blocks cookies.
    await page.addInitScript(`
      Object.defineProperty(navigator, "cookieEnabled", { value: false });
      Object.defineProperty(globalThis, "localStorage", {
        get() { throw new DOMException("Access is denied for this document.", "SecurityError"); },
      });`);
    await page.goto(`${url}/t/${tokenMint}`);
    await page.getByText("Market cap").first().waitFor();
    // As after a newer version of the server.
    await page.route("**/assets/rooms-*.js", (route) => route.fulfill({ status: 404 }));
    await button(page, "Sign in").click();
    await Promise.all([page.waitForEvent("load"), button(page, "Try again").click()]);
    await page.unrouteAll();
    await page.goto(`${url}/#/launch`);
    await button(page, /sandbox wallet/).click();
    await page.getByLabel("Name", { exact: true }).fill("Not kept");
    await page.getByLabel("Ticker").fill("NOTKEPT");
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
    expect(faults).toEqual([]);
  });

  test("on mainnet-beta a token's page leads to where it trades", async () => {
    const tokenMint = await scene.tokenWithFees(Keypair.generate(), "TRADED");
    await using opened = await scene.openEmpty();
    const { page } = opened;
    await page.route("**/health", async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), network: "mainnet-beta" },
      });
    });
    await page.goto(`${scene.url}/t/${tokenMint}`);
    const trade = page.getByRole("link", { name: "Trade on Jupiter" });
    expect(await trade.getAttribute("href")).toBe(`https://jup.ag/tokens/${tokenMint}`);
  });

  test("a token's page shows price, curve and what is missing, follows trades, and works by the keyboard", async () => {
    const keypair = Keypair.generate();
    const tokenMint = await scene.tokenWithFees(keypair, "MARKET");
    const client = scene.clientOf(keypair);
    await marketOf(client, tokenMint);
    await using opened = await scene.open(`${scene.url}/t/${tokenMint}`);
    const { page, faults, foreign } = opened;
    // As on a cluster after the migration.
    const liquidityPoolAddress = Keypair.generate().publicKey.toBase58();
    const proof = { passed: true, facts: [], liquidityPoolAddress };
    await page.route("**/proof", (route) => route.fulfill({ json: { proof } }));
    // A route of its own keeps the browser from answering out of its cache.
    await page.route("**/market*", (route) => route.continue());
    await page.getByText("84.01 SOL more, and the token graduates").waitFor();
    await page.getByRole("progressbar", { name: "1 % of the bonding curve" }).waitFor();
    await page.getByText("Earned on the bonding curve0.01 SOL").waitFor();
    // It was launched at the curve's first price, though the service has read no earlier one.
    await page
      .locator(".stat")
      .filter({ hasText: /^24 h\+[\d.]+ %$/ })
      .waitFor();
    // Its price has not changed since the trade right after the launch.
    const line = (await page.locator("path.curve").getAttribute("d")) ?? "";
    const heights = [...line.matchAll(/V([\d.]+)/g)].map(([, height]) => height);
    expect(heights.at(-2)).toBe(heights.at(-1));
    await page.locator(".plot svg").hover();
    await page
      .locator(".cross")
      .getByText(/ SOL, /)
      .waitFor();
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate("document.activeElement.textContent")) === "30 d") break;
    }
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "30 d", pressed: true }).waitFor();
    await client.dev.graduate({ tokenMint });
    await marketOf(client, tokenMint, 85);
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByText("Complete: the token graduated at 85 SOL").waitFor();
    await page.reload();
    await page.locator(`.curve .address[title="${liquidityPoolAddress}"]`).waitFor();
    // As a market of 85 SOL in the curve is worth.
    await page.locator(".worth .sum").filter({ hasText: "410.8 SOL" }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy mint").click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(tokenMint);
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("a check of the chain that is refused says so at once, and is asked for again by a click only", async () => {
    const tokenMint = await scene.tokenWithFees(Keypair.generate(), "UNPROVEN");
    await using opened = await scene.openEmpty();
    const { page } = opened;
    await page.clock.install();
    // As on a cluster.
    await page.route(`**/t/${tokenMint}`, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const body = text.replace('"config":null', `"config":"${tokenMint}"`);
      await route.fulfill({ response, body });
    });
    let asked = 0;
    await page.route("**/proof", (route) => {
      asked++;
      const json = {
        error: "The chain does not answer what is asked of the token",
        code: "chain_unavailable",
      };
      return route.fulfill({ status: 503, headers: { "retry-after": "15" }, json });
    });
    await page.goto(`${scene.url}/t/${tokenMint}`);
    const problem = page.getByText("The chain does not answer what is asked of the token");
    await problem.waitFor();
    await page.clock.fastForward(60_000);
    expect(asked).toBe(1);
    await Promise.all([page.waitForRequest("**/proof"), button(page, "Try again").click()]);
    await problem.waitFor();
    // What fails comes first.
    await page.unroute("**/proof");
    const facts = [true, true, true, true, false].map((passes, n) => {
      return {
        name: `fact_${n}`,
        verdict: passes ? "safe" : "wrong",
        passes,
        text: "",
        cost: null,
      };
    });
    const proof = { passed: false, facts, liquidityPoolAddress: null };
    const checkedAt = new Date().toISOString();
    await page.route("**/proof", (route) => route.fulfill({ json: { checkedAt, proof } }));
    await button(page, "Try again").click();
    await page.locator(".proofs li").first().filter({ hasText: "Wrong" }).waitFor();
  });

  test("an owner's tokens are sorted by a column, down and up", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "SORTED");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    await page.route(/\/api\/v1\/tokens\/\?/, async (route) => {
      const response = await route.fetch();
      const { tokens } = (await response.json()) as { tokens: object[] };
      const both = ["ALPHA", "BETA"].map((ticker) => {
        return { ...tokens[0], ticker, tokenMint: Keypair.generate().publicKey.toBase58() };
      });
      await route.fulfill({ response, json: { tokens: both } });
    });
    await page.reload();
    for (const [presses, first] of [
      ["Token", "BETA"],
      ["Token ↓", "ALPHA"],
    ] as const) {
      await button(page, presses).click();
      await page.locator(".item .title a").first().filter({ hasText: first }).waitFor();
    }
  });

  test("before sign-in the page shows the latest tokens, their terms and how agents use it", async () => {
    const name = "N".repeat(255);
    const client = scene.clientOf(Keypair.generate());
    const { eventId } = await client.launch({ name, onChainName: "Latest", ticker: "LATEST" });
    await client.waitForLaunch(eventId);
    await using opened = await scene.open(scene.url);
    const { page, faults, foreign } = opened;
    await page.getByText("Creator's share, after the protocol's cut100 %").waitFor();
    await page.getByText(`"--api-url", "${scene.url}"`).waitFor();
    await Promise.all([
      page.waitForRequest("**/t/list?*"),
      page.evaluate('document.dispatchEvent(new Event("visibilitychange"))'),
    ]);
    await button(page, "Command line").click();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy for Command line").click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(
      `export TOKENCTL_API_URL=${scene.url}\ntokenctl launch --name "My token" --ticker MINE\ntokenctl claim --all`,
    );
    const proof = page.getByText("tokenctl verify <mint>").locator("..");
    expect(await proof.getByRole("link").allTextContents()).toEqual(["fees", "risks"]);
    await page.route("**/t/list?*", async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { totals: object };
      const totals = { ...list.totals, tokens: 12_345 };
      await route.fulfill({ response, json: { ...list, totals } });
    });
    await page.getByLabel("Search by ticker, name or mint").fill("lates");
    // The totals are as new as the list.
    await page.getByText("Tokens12,345", { exact: true }).waitFor();
    await page.getByRole("link", { name: /^LATEST/ }).click();
    await page.getByRole("heading", { name: "LATEST" }).waitFor();
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("a screen begins at its top right after another was scrolled, and Back shows that one where it was left", async () => {
    await using opened = await scene.signedIn();
    const { page } = opened;
    await page.setViewportSize({ width: 360, height: 400 });
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Webhooks" }).waitFor();
    // The browser tells of the scroll after the click.
    await page.evaluate('scrollTo(0, 300); document.querySelector("nav a[href$=launch]").click()');
    await page.getByText("Place in the queue").waitFor();
    await page.evaluate(SETTLED);
    expect(await page.evaluate("[scrollY, document.body.scrollHeight > 1_000]")).toEqual([0, true]);
    await page.goBack();
    await page.evaluate(SCROLLED_BACK);
    await page.goForward();
    await page.getByText("Place in the queue").waitFor();
    await page.evaluate(SETTLED);
    expect(await page.evaluate("scrollY")).toBe(0);
  });

  test("an image is cut to a square, and the token has it", async () => {
    await using opened = await scene.signedIn();
    const { page, keypair } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    // The middle is white.
    const [width, height] = [80, 40];
    const pixels = Buffer.alloc((1 + 3 * width) * height);
    for (let row = 0; row < height; row++) {
      const start = row * (1 + 3 * width) + 1;
      pixels.fill(255, start + 3 * (width / 4), start + 3 * ((3 * width) / 4));
    }
    const buffer = pngImage(width, height, [], pixels);
    await page
      .getByLabel("Image", { exact: true })
      .setInputFiles({ name: "wide.png", mimeType: "image/png", buffer });
    await page.getByLabel("Name", { exact: true }).fill("Square");
    await page.getByLabel("Ticker").fill("SQUARE");
    await page.getByLabel("X", { exact: true }).fill("https://x.com/square");
    await expectAccessible(page);
    const chooser = 'getComputedStyle(image, "::file-selector-button").borderRadius';
    expect(await page.evaluate(chooser)).toBe("8px");
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
    const [token] = (await scene.clientOf(keypair).tokens()).tokens;
    const metadata = await scene.clientOf(keypair).metadata(token?.tokenMint ?? "");
    expect(metadata).toMatchObject({ twitter: "https://x.com/square", image: token?.imageUrl });
    await page.getByRole("link", { name: "See the token" }).click();
    const shown = page.locator("main img.token-image").first();
    await shown.waitFor();
    const { pathname: seen, search } = new URL((await shown.getAttribute("src")) ?? "", scene.url);
    expect([seen, search]).toEqual([new URL(token?.imageUrl ?? "").pathname, "?size=256"]);
    await page.getByRole("link", { name: "← Tokens" }).click();
    await page.locator('main img[src$="?size=96"]').waitFor();
    const found = await page.evaluate(`(async () => {
      const bitmap = await createImageBitmap(await (await fetch("${seen}")).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return [bitmap.width, bitmap.height, ...context.getImageData(0, 20, 1, 1).data];
    })()`);
    expect(found).toEqual([height, height, 255, 255, 255, 255]);
  });

  test("a launch waits for its image, and is not sent without one that cannot be read", async () => {
    await using opened = await scene.signedIn();
    const { page, keypair } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Pictured");
    await page.getByLabel("Ticker").fill("PICTURED");
    await page.getByText("It can be launched now.").waitFor();
    const image = page.getByLabel("Image", { exact: true });
    const file = { name: "image.png", mimeType: "image/png" };
    await image.setInputFiles({ ...file, buffer: Buffer.from("no image") });
    await button(page, "Launch").click();
    await page.getByRole("alert").filter({ hasText: "the browser can read" }).waitFor();
    const client = scene.clientOf(keypair);
    expect((await client.launches()).launches).toEqual([]);
    await page.evaluate(`{
      const read = createImageBitmap;
      createImageBitmap = (file) => new Promise((go) => { globalThis.go = go; }).then(() => read(file));
    }`);
    await image.setInputFiles({ ...file, buffer: pngImage(40, 40) });
    await button(page, "Launch").click();
    await page.evaluate("go()");
    await page.getByText("It is on chain and can be traded.").waitFor();
    expect((await client.tokens()).tokens).toMatchObject([{ imageUrl: expect.any(String) }]);
  });

  test("a form that is incomplete is not sent, and takes the keyboard to what it lacks", async () => {
    await using opened = await scene.signedIn();
    const { page } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await button(page, "Launch").click();
    await page.locator("#name:focus:invalid").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Not yet");
    await page.getByLabel("Ticker").fill("NO!");
    await page
      .locator("#ticker-problem")
      .filter({ hasText: /^Must be 2 to 10/ })
      .waitFor();
    await expectAccessible(page);
  });

  test("where only agents pay, a wallet that cannot is told what it needs", async () => {
    await using opened = await scene.open(`${scene.url}/#/launch`);
    const { page } = opened;
    await page.route("**/health", async (route) => {
      const answer = await route.fetch();
      const json = { ...(await answer.json()), launchPayers: ["agent"] };
      await route.fulfill({ response: answer, json });
    });
    await page.reload();
    await button(page, /sandbox wallet/).click();
    await page.getByLabel("Name", { exact: true }).fill("Dear");
    await page.getByLabel("Ticker").fill("DEAR");
    await page.locator("#launch-hint").filter({ hasText: "Your wallet holds 0 SOL" }).waitFor();
    expect(await page.getByRole("radio").count()).toBe(0);
    await page.getByRole("button", { name: "Launch", exact: true, disabled: true }).waitFor();
    expect(await page.getByText("the service pays").count()).toBe(0);
    await button(page, /^Get \d SOL of the sandbox$/).click();
    await page.getByRole("button", { name: "Launch", exact: true, disabled: false }).waitFor();
  });

  test("a threshold and webhooks are set and removed in the settings", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "TOLD");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    const client = scene.clientOf(keypair);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Threshold in SOL").fill("many");
    await button(page, "Set").click();
    await page.locator("#threshold-problem").waitFor();
    await page.getByLabel("Threshold in SOL").fill("0,25");
    await button(page, "Set").click();
    await button(page, "Remove the threshold").waitFor();
    expect(await client.feeThreshold()).toEqual({ claimableSOL: 0.25 });

    await page.getByLabel("Address of a receiver").fill("not an address");
    await button(page, "Add").click();
    await page.locator("#webhook-problem").waitFor();
    await page.getByLabel("Address of a receiver").fill("http://127.0.0.1:9/events");
    await button(page, "Add").click();
    await page.getByText(/whsec_/).waitFor();
    await button(page, "Test").click();
    await page.getByText(/^Last: test failed, just now: /).click();
    await page.getByText(/^1\. test failed/).waitFor();
    await expectAccessible(page);
    expect((await client.webhooks.list()).webhooks).toMatchObject([
      { url: "http://127.0.0.1:9/events" },
    ]);
    await button(page, "Remove …").click();
    await button(page, "Remove").click();
    await page.getByText("No webhooks yet").waitFor();
    await button(page, "Remove the threshold").click();
    await button(page, "Remove the threshold").waitFor({ state: "detached" });
    expect(await client.feeThreshold()).toEqual({ claimableSOL: null });
  });

  test("a payout address stays in the browser, gets what is claimed, and is shown before the signature", async () => {
    const [keypair, newCreator] = [Keypair.generate(), Keypair.generate()];
    const to = newCreator.publicKey.toBase58();
    const mint = await scene.tokenWithFees(keypair, "PAYOUT");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Address of a wallet").fill("not an address");
    await button(page, "Keep").click();
    await page.getByText("This is not the address of a wallet").waitFor();
    await page.getByLabel("Address of a wallet").fill(mint);
    await button(page, "Keep").click();
    await page.getByText("This is a token's address, not a wallet's").waitFor();
    await page.getByLabel("Address of a wallet").fill(to);
    await button(page, "Keep").click();
    await button(page, "Remove the payout address").waitFor();
    await expectAccessible(page);
    await page.evaluate(`location.href = "/#/token/${mint}"`);
    await button(page, "Claim").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Your payout address receives 0.01 SOL" }).waitFor();
    await dialog.getByText(to, { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Sign with Test Wallet" }).click();
    await page.getByText("Paid out0.01 SOL", { exact: true }).waitFor();
    const { balanceSOL } = await scene.clientOf(keypair).balance({ wallet: to });
    expect(balanceSOL).toBe(0.01);
  });

  test("a token is handed over only after a second yes that names the wallet", async () => {
    const [keypair, newCreator] = [Keypair.generate(), Keypair.generate()];
    const to = newCreator.publicKey.toBase58();
    const mint = await scene.tokenWithFees(keypair, "HEIR");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    await page.evaluate(`location.href = "/#/token/${mint}"`);
    await page.getByLabel("Address of the other wallet").fill(to);
    await button(page, "Hand over …").click();
    await page.getByRole("dialog").getByText(`go to ${to} for good`).waitFor();
    await button(page, "Not now").click();
    await page.getByText("You declined; nothing was signed").waitFor();
    await button(page, "Hand over …").click();
    await page.evaluate(COUNT_NOTICES);
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    await page.getByText("HEIR is handed over").first().waitFor();
    await using other = await scene.signedIn("signs", newCreator);
    await other.page.getByText("HEIR was handed over to you").waitFor();
    await expectAccessible(other.page);
    await other.page.setViewportSize({ width: 360, height: 800 });
    const over = "document.documentElement.scrollWidth - innerWidth";
    expect(await other.page.evaluate(over)).toBeLessThanOrEqual(0);
    await other.page.setViewportSize({ width: 1_440, height: 800 });
    await button(other.page, "Accept HEIR").click();
    await other.page.getByRole("link", { name: "HEIR", exact: true }).waitFor();
    await other.page.getByText("HEIR was handed over to you").waitFor({ state: "detached" });
    expect((await scene.clientOf(newCreator).waitingTokens()).tokens).toEqual([]);
    // By now the event has reached the giver's page, too.
    expect(await page.evaluate("most")).toBe(1);
  });

  test("a launch shows each step that it has reached", async () => {
    const keypair = Keypair.generate();
    const client = scene.clientOf(keypair);
    const { eventId } = await client.launch({ name: "Steps", ticker: "STEPS" });
    const ended = await client.waitForLaunch(eventId);
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    let shown: object = { ...ended, status: "pending", tokenMint: null, poolAddress: null };
    await page.route(`**/launch/status/${eventId}*`, (route) => route.fulfill({ json: shown }));
    const current = page.locator("[aria-current=step]");
    shown = { ...shown, processedAt: null, waitingFor: "deployment" };
    await page.evaluate(`location.href = "/#/launch/${eventId}"`);
    await current.filter({ hasText: "Signing" }).waitFor();
    shown = { ...shown, waitingFor: "confirmation" };
    await current.filter({ hasText: "Confirming" }).waitFor();
    expect(
      await page.locator(".steps > li").evaluateAll((all) => all.map((one) => one.className)),
    ).toEqual(["done", "done", "current", ""]);
    await expectAccessible(page);
    shown = ended;
    await page.getByText("It is on chain and can be traded.").waitFor();
    // A wallet that has a token of this UTC day tries again on another one.
    for (const [at, disabled] of [
      [Date.now(), true],
      [Date.now() - 86_400_000, false],
    ] as const) {
      const processedAt = new Date(at).toISOString();
      shown = { ...ended, status: "rate_limited", tokenMint: null, processedAt };
      await page.reload();
      await page.getByRole("button", { name: "Try again", disabled }).waitFor();
    }
  });
});

/** The most notices at once that say the same. */
const COUNT_NOTICES = `{
  globalThis.most = 0;
  const count = () => {
    const texts = [...document.querySelectorAll(".notices p")].map((it) => it.textContent);
    most = Math.max(most, texts.length - new Set(texts).size + 1);
  };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
}`;
const SCROLLED_BACK = `new Promise((done) => {
  const look = () => (scrollY === 300 ? done() : requestAnimationFrame(look));
  look();
})`;
/** After what a scroll or a change of the address has caused. */
const SETTLED = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`;

/** Waits until the server has seen in a token's pool that it has raised so much SOL. */
async function marketOf(
  client: TokenctlClient,
  tokenMint: string | null,
  raisedSOL = 0.99,
): Promise<void> {
  for (;;) {
    const { market } = await client.market(tokenMint ?? "");
    if (market?.raisedSOL === raisedSOL) return;
    await Bun.sleep(200);
  }
}
