import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Keypair, SystemProgram, Transaction, type TransactionInstruction } from "@solana/web3.js";
import type { LaunchRequest } from "@tokenctl/sdk";
import type { Page } from "playwright-core";
import { admin, adminJson } from "../support/admin.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { tempDir } from "../support/processes.ts";
import { isBrowserMissing } from "./browser.ts";
import { button, expectAccessible, fits, Scene, serve } from "./scene.ts";
import { injectWallet } from "./standard-wallet.ts";

setDefaultTimeout(300_000);

/** The widest that a ticker can be. */
const OWN = "W".repeat(10);
const DIALOG_WIDTHS = [320, 360, 1440];

describe.skipIf(isBrowserMissing)("the console with a wallet of the browser", () => {
  const scene = Scene.ofTests();

  test("a claim that expires while a person reads is renewed, and the wallet is asked once", async () => {
    const keypair = Keypair.generate();
    const mint = await scene.tokenWithFees(keypair, "RENEWED");
    await using opened = await scene.signedIn("signs", keypair);
    const { page, asked } = opened;
    let prepared = 0;
    await page.route(`**/api/v1/tokens/claims/${mint}`, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { expiresInSeconds?: number };
      const isFirst = body.expiresInSeconds !== undefined && prepared++ === 0;
      await route.fulfill({
        response: answer,
        json: isFirst ? { ...body, expiresInSeconds: 0 } : body,
      });
    });
    await button(page, "Claim all").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("You received the fees of RENEWED").waitFor();
    expect(prepared).toBe(2);
    expect(await asked()).toEqual(["message", "transaction"]);
  });

  test.each([
    ["refuses", "REFUSE", /User rejected the request/],
    ["changes the transaction", "CHANGE", /sign/i],
  ] as const)("a wallet that %s claims nothing", async (manner, ticker, text) => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, ticker);
    await using opened = await scene.signedIn(manner, keypair);
    const { page, asked, faults } = opened;
    await button(page, "Claim all").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByRole("alert").filter({ hasText: text }).waitFor();
    expect(await asked()).toEqual(["message", "transaction"]);
    expect((await scene.clientOf(keypair).claimHistoryPage()).claims).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("a hostile claim never reaches the wallet", async () => {
    const keypair = Keypair.generate();
    const mint = await scene.tokenWithFees(keypair, "HOSTILE");
    await using opened = await scene.signedIn("signs", keypair);
    const { page, asked } = opened;
    const thief = Keypair.generate().publicKey;
    const theft = SystemProgram.transfer({
      fromPubkey: keypair.publicKey,
      toPubkey: thief,
      lamports: 1_000_000,
    });
    await page.route(`**/api/v1/tokens/claims/${mint}`, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { transaction: string };
      await route.fulfill({
        response: answer,
        json: { ...body, transaction: withInstruction(body.transaction, theft) },
      });
    });
    await button(page, "Claim all").click();
    await page
      .getByRole("alert")
      .filter({ hasText: /not signed|refused|claim/i })
      .waitFor();
    expect(await asked()).toEqual(["message"]);
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
  });

  /** Fills in a launch that the wallet pays for, with a first buy of 0.1 SOL. */
  async function fillPaid(page: Page, ticker: string) {
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Own money");
    await page.getByLabel("Ticker").fill(ticker);
    await page.getByRole("radio", { name: /^You pay/ }).check();
    await page.getByLabel("First buy in SOL").fill("0,1");
    await page.getByText(/^≈ [\d,.]+ tokens: 0\.\d+ % of what the curve sells/).waitFor();
    await page.getByText("your wallet pays").waitFor();
    await page.getByText("It can be launched now.").waitFor();
    await button(page, "Launch").click();
  }

  test("a wallet pays for a launch and buys its token, after its person has read the cost", async () => {
    const keypair = Keypair.generate();
    const client = scene.clientOf(keypair);
    await client.dev.airdrop({ sol: 1 });
    await using opened = await scene.signedIn("signs", keypair);
    const { page, asked, faults } = opened;
    await fillPaid(page, OWN);
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/You pay at most/).waitFor();
    await dialog.getByText(`First buy of ${OWN}`).waitFor();
    await dialog.getByText(`creates ${OWN}, buys it for your wallet`).waitFor();
    await fits(page, "signing of a launch", DIALOG_WIDTHS, "dialog[open]");
    const reason = page.waitForResponse("**/launch/status/*");
    await button(page, "Not now").click();
    await page.getByText("You declined; nothing was signed").waitFor();
    expect(await asked()).toEqual(["message"]);
    // What was cancelled, here or by another program, is not announced as failed.
    await reason;
    // It is read by the time a later answer is: a response's `finished()` may never come.
    await page.evaluate("fetch('/health').then((answer) => answer.text())");
    expect(await page.getByText("failed").count()).toBe(0);
    // The first signature is lost on its way, as if its transaction had expired.
    let lost = 0;
    await page.route("**/transaction", (route) => {
      const request = route.request();
      if (request.postData() === null || lost++ > 0) return route.continue();
      const eventId = request.url().split("/").at(-2);
      return route.fulfill({ json: { success: true, eventId, message: "Signed" } });
    });
    expect((await client.launches()).launches).toMatchObject([{ status: "failed" }]);
    const requested = page.waitForRequest("**/tokens/launch");
    await button(page, "Launch").click();
    // The quoted amount less 2 %, as of tokenctl and models.
    const { firstBuyMinTokens } = (await requested).postDataJSON() as LaunchRequest;
    const quoted = {
      name: "Own money",
      ticker: "QUOTE",
      payer: "agent",
      firstBuySOL: 0.1,
    } as const;
    expect(firstBuyMinTokens).toBe((await client.quoteFirstBuy(quoted)).minTokens);
    await button(page, "Sign with Test Wallet").click();
    await page.getByText(/signature is needed.* ends by itself in \d+ min \d+ s/).waitFor();
    await button(page, "Sign …").waitFor();
    await button(page, "Cancel …").click();
    await dialog.getByText(`Cancel the launch of ${OWN}?`).waitFor();
    await fits(page, "cancel of a launch", DIALOG_WIDTHS, "dialog[open]");
    await dialog.getByRole("button", { name: "Not now" }).click();
    await page.getByRole("link", { name: "Tokens", exact: true }).click();
    await page.getByRole("link", { name: `Sign ${OWN} …` }).click();
    await button(page, "Sign …").waitFor();
    expect(await asked()).toEqual(["message", "transaction"]);
    // A page that is loaded again still knows what it may sign.
    await page.reload();
    await button(page, "Sign …").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
    expect(await asked()).toEqual(["transaction"]);
    const { launches } = await client.launches();
    expect(launches).toMatchObject([
      { ticker: OWN, status: "success", payer: "agent" },
      { ticker: OWN, status: "failed", error: "Cancelled by its agent" },
    ]);
    const { balanceSOL } = await client.balance();
    expect(balanceSOL).toBeCloseTo(1 - (launches[0]?.costSOL ?? 0), 9);
    expect(balanceSOL).toBeLessThan(0.9);
    expect(faults).toEqual([]);
  });

  test("a session that ends asks for no signature until a click, and the form stays", async () => {
    await using opened = await scene.signedIn();
    const { page, asked } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Still here");
    await page.getByLabel("Ticker").fill("STILL");
    await page.getByText("It can be launched now.").waitFor();
    let refusals = 0;
    await page.route("**/api/v1/tokens/launch", (route) =>
      refusals++ === 0
        ? route.fulfill({
            status: 401,
            json: { error: "Invalid or expired token", code: "invalid_token" },
          })
        : route.continue(),
    );
    await button(page, "Launch").click();
    await page.getByText("Session ended").waitFor();
    await expectAccessible(page);
    expect(await asked()).toEqual(["message"]);
    await button(page, "Sign in").click();
    await page.getByText("Session ended").waitFor({ state: "detached" });
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
    expect(await asked()).toEqual(["message", "message"]);
  });

  test("a session survives a reload without a signature, and then claims all", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "RELOAD");
    await using opened = await scene.signedIn("signs", keypair);
    const { page, asked } = opened;
    await page.reload();
    await page.getByRole("link", { name: "RELOAD" }).waitFor();
    // A new tab knows the session, and both end together.
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      page.evaluate('open("/#/tokens")'),
    ]);
    await tab.getByRole("link", { name: "RELOAD" }).waitFor();
    const other = Keypair.generate().publicKey.toBase58();
    await page.evaluate(`changeAccount("${other}")`);
    await page.getByText("Test Wallet shows another account now").waitFor();
    await button(page, "Sign in with it").waitFor();
    await page.evaluate(`changeAccount("${keypair.publicKey}")`);
    await button(page, "Sign in with it").waitFor({ state: "detached" });
    expect(await asked()).toEqual([]);
    await button(page, "Claim all").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("You received the fees of RELOAD").waitFor();
    expect(await asked()).toEqual(["transaction"]);

    const kept = () =>
      page.evaluate<string>("JSON.stringify({ ...sessionStorage, ...localStorage })");
    expect(JSON.parse(await kept())).toEqual({
      "tokend.session": expect.stringMatching(/^\{"token":"[\w.-]+","walletName":"Test Wallet"\}$/),
    });
    await button(tab, "Sign out").click();
    await button(page, "Test Wallet").waitFor();
    expect(await kept()).toBe("{}");
  });

  test("a session finds its wallet beside one of the same name for another chain", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "NAMESAKE");
    await using opened = await scene.openEmpty();
    const { page } = opened;
    await page.addInitScript(`{
      const wallet = { version: "1.0.0", name: "Test Wallet", icon: "data:image/png;base64,",
        chains: ["sui:mainnet"], accounts: [],
        features: { "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [] }) } } };
      addEventListener("wallet-standard:app-ready", (event) => event.detail.register(wallet));
    }`);
    await injectWallet(page, { keypair });
    await page.goto(`${scene.url}/#/tokens`);
    await button(page, "Test Wallet").click();
    await page.getByRole("link", { name: "NAMESAKE" }).waitFor();
    await page.reload();
    await button(page, "Claim all").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("You received the fees of NAMESAKE").waitFor();
    await page.evaluate('changeAccount("11111111111111111111111111111111")');
    await page.getByText("Test Wallet shows another account now").waitFor();
  });

  test("what was asked for before a sign-out asks nothing after it", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "SIGNEDOUT");
    await using opened = await scene.signedIn("signs", keypair);
    const { page, faults, asked } = opened;
    const go = Promise.withResolvers<void>();
    await page.route("**/api/v1/tokens/claims/*", async (route) => {
      await go.promise;
      await route.continue();
    });
    const requested = page.waitForRequest("**/api/v1/tokens/claims/*");
    await button(page, "Claim all").click();
    await requested;
    await button(page, "Sign out").click();
    await button(page, "Test Wallet").waitFor();
    const answered = page.waitForResponse("**/api/v1/tokens/claims/*");
    go.resolve();
    await answered;
    await page.evaluate("fetch('/health').then((answer) => answer.text())");
    await button(page, "Test Wallet").click();
    await page.getByRole("link", { name: "SIGNEDOUT" }).waitFor();
    await button(page, "Claim all").click();
    await page.getByRole("dialog").waitFor();
    await page.evaluate("document.querySelector('header .address ~ button').click()");
    await button(page, "Test Wallet").waitFor();
    expect(faults).toEqual([]);
    expect(await asked()).toEqual(["message", "message"]);
  });

  test("two questions are asked one after the other", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "TWOASKED");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    await scene.clientOf(keypair).webhooks.create({ url: "https://hooks.example/two" });
    const go = Promise.withResolvers<void>();
    await page.route("**/api/v1/tokens/claims/*", async (route) => {
      await go.promise;
      await route.continue();
    });
    const requested = page.waitForRequest("**/api/v1/tokens/claims/*");
    await button(page, "Claim all").click();
    await requested;
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await button(page, "Remove …").click();
    await page.getByText("Remove this webhook?").waitFor();
    const answered = page.waitForResponse("**/api/v1/tokens/claims/*");
    go.resolve();
    await answered;
    await page.evaluate("fetch('/health').then((answer) => answer.text())");
    await button(page, "Remove").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("You received the fees of TWOASKED").waitFor();
    await page.getByText("No webhooks yet").waitFor();
  });

  test("a first buy typed just before the launch is in what the wallet may pay, also after a reload while asked", async () => {
    const keypair = Keypair.generate();
    await scene.clientOf(keypair).dev.airdrop({ sol: 2 });
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Typed late");
    await page.getByLabel("Ticker").fill("LATEBUY");
    await page.getByRole("radio", { name: /^You pay/ }).check();
    await page.getByText("your wallet pays").waitFor();
    await page.getByText("It can be launched now.").waitFor();
    await page.getByLabel("First buy in SOL").fill("0.5");
    await button(page, "Launch").click();
    await page.getByRole("dialog").waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Tokens", exact: true }).click();
    await page.getByRole("link", { name: "Sign LATEBUY …" }).click();
    await button(page, "Sign …").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
  });

  test("what trades earn appears while the page is open", async () => {
    const keypair = Keypair.generate();
    const tokenMint = await scene.tokenWithFees(keypair, "GROWS");
    await using opened = await scene.openEmpty({ keypair });
    const { page } = opened;
    await page.clock.install();
    await page.goto(`${scene.url}/#/tokens`);
    await button(page, "Test Wallet").click();
    const earnings = page.getByRole("region", { name: "Earnings" });
    await earnings.getByText("0.01", { exact: true }).first().waitFor();
    const client = scene.clientOf(keypair);
    await client.dev.airdrop({ sol: 2 });
    await client.dev.trade({ tokenMint, side: "buy", sol: 2 });
    await page.clock.fastForward(30_000);
    await earnings.getByText("0.03", { exact: true }).first().waitFor();
    await earnings.getByRole("img", { name: "SOL paid out per day, at most 0" }).waitFor();
  });

  test("a launch that waits is cancelled and retried on its own page", async () => {
    using own = tempDir();
    const { env } = clusterSettings(own.path);
    const settings = { ...env, PUBLIC_URL: "http://localhost" };
    await using waiting = await serve(own.path, settings);
    const [keypair, otherKeypair] = [Keypair.generate(), Keypair.generate()];
    const [client, other] = [keypair, otherKeypair].map((each) =>
      scene.clientOf(each, waiting.url),
    );
    if (!client || !other) throw new Error("two clients");
    const { eventId } = await client.launch({ name: "It waits", ticker: "WAITS" });
    await using opened = await scene.open(`${waiting.url}/#/launch/${eventId}`, { keypair });
    const { page, faults } = opened;
    let goOn = Promise.withResolvers<void>();
    await page.route(/\/(cancel|retry)$/, async (route) => {
      await goOn.promise;
      await route.continue();
    });
    // Until it is answered, a second press does nothing.
    const press = async (name: string, isSure = false) => {
      goOn = Promise.withResolvers();
      await button(page, name).click();
      if (isSure) await button(page, "Cancel the launch").click();
      await page.getByRole("button", { name, exact: true, disabled: true }).waitFor();
      goOn.resolve();
    };
    await button(page, "Test Wallet").click();
    await page.getByText("Waiting for the chain, which the service cannot reach").waitFor();
    const current = page.locator("[aria-current=step]");
    await current.filter({ hasText: "Accepted" }).waitFor();
    await expectAccessible(page);
    // A cancellation that was not meant does nothing.
    await button(page, "Cancel …").click();
    await button(page, "Not now").click();
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "pending" });
    await press("Cancel …", true);
    await page.getByText("It is cancelled: nothing was launched").waitFor();
    const alarms = page.locator("main :is(.problem, .failed, .primary)");
    expect(await alarms.count()).toBe(0);
    await page.getByRole("link", { name: "All tokens" }).click();
    await page.getByText("No tokens yet").last().waitFor();
    expect(await page.getByText("WAITS was not launched").count()).toBe(0);
    await page.goBack();
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "failed" });

    // The ticker is free at once, so another may take it; then there is nothing to retry with.
    const taken = await other.launch({ name: "It is quicker", ticker: "WAITS" });
    await press("Try again");
    await page.getByRole("alert").filter({ hasText: "Ticker WAITS already exists" }).waitFor();
    await other.cancelLaunch(taken.eventId);
    await press("Try again");
    await button(page, "Cancel …").waitFor();

    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("It waits");
    await page.getByLabel("Ticker").fill("WAITS");
    const atField = page.locator("#ticker-problem");
    await atField.filter({ hasText: "Ticker WAITS already exists" }).waitFor();
    await page.getByRole("link", { name: "See your launch of WAITS" }).click();
    await button(page, "Cancel …").waitFor();

    expect(await client.launchStatus(eventId)).toMatchObject({ status: "pending" });
    expect(await other.launchStatus(taken.eventId)).toMatchObject({ status: "failed" });
    expect(faults).toEqual([]);
  });

  test("a pause disables the button with its reason, and ends without a reload", async () => {
    using own = tempDir();
    const dataDir = join(own.path, "data");
    await using server = await serve(own.path);
    await admin(dataDir, "pause", "launches", "--reason", "new keys until noon");
    const keypair = Keypair.generate();
    await using opened = await scene.openEmpty({ keypair });
    const { page } = opened;
    await page.clock.install();
    await page.goto(`${server.url}/#/launch`);
    await button(page, "Test Wallet").click();
    const launch = page.getByRole("button", { name: "Launch", exact: true });
    await launch.and(page.locator("[aria-disabled=true]")).waitFor();
    await page.locator("#launch-hint").filter({ hasText: "new keys until noon" }).waitFor();
    const status = page.locator("footer a[href$='/status']");
    await status.and(page.locator(".warn")).filter({ hasText: "Limited" }).waitFor();
    const words = await fetch(`${server.url}/status`, { headers: { accept: "text/html" } });
    expect(await words.text()).toMatch(/<h2>Limited<\/h2><p>.*new keys until noon/);
    await expectAccessible(page);
    await admin(dataDir, "resume", "launches");
    await page.clock.fastForward(20_000);
    await launch.and(page.locator("[aria-disabled=false]")).waitFor();
    await status.filter({ hasText: "All systems work" }).waitFor();
  });

  test("a service for invited wallets asks for the invite, and says what is wrong with it", async () => {
    using own = tempDir();
    await using server = await serve(own.path, { ADMISSION: "invite" });
    const dataDir = join(own.path, "data");
    const { invites } = await adminJson(dataDir, "invites", "create");
    const keypair = Keypair.generate();
    await using opened = await scene.open(`${server.url}/#/launch`, { keypair });
    const { page } = opened;
    await button(page, "Test Wallet").click();
    await page.getByLabel("Invite code").fill("wrong");
    await button(page, "Redeem").click();
    await page.locator("#invite-problem").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Invite code").fill(invites[0].code);
    await button(page, "Redeem").click();
    await page.getByLabel("Invite code").waitFor({ state: "detached" });
    await page.getByLabel("Name", { exact: true }).fill("Invited");
    await page.getByLabel("Ticker").fill("INVITED");
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
  });
});

/** @returns the transaction with one more instruction at its end, base64 */
function withInstruction(base64: string, added: TransactionInstruction): string {
  const transaction = Transaction.from(Buffer.from(base64, "base64"));
  transaction.add(added);
  return transaction
    .serialize({ requireAllSignatures: false, verifySignatures: false })
    .toString("base64");
}
