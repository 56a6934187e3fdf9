import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import axeCore from "axe-core";
import bs58 from "bs58";
import type { Browser, Page } from "playwright-core";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { installBinaries } from "../support/binaries.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { GIF } from "../support/images.ts";
import { type ServerProcess, startTokend, tempFolder } from "../support/processes.ts";
import { isBrowserMissing, openConsole, startBrowser, type TestPage } from "./browser.ts";
import { type WalletManner, walletScript } from "./standard-wallet.ts";

setDefaultTimeout(90_000);

const axe = axeCore.source;

describe.skipIf(isBrowserMissing)("the console in a browser", () => {
  const folder = tempFolder();
  let tokend: string;
  let server: ServerProcess;
  let browser: Browser;

  beforeAll(async () => {
    [{ tokend }, browser] = await Promise.all([installBinaries(folder.path), startBrowser()]);
    server = await startTokend([tokend], folder.path);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const button = (page: Page, name: string | RegExp, exact = true) =>
    page.getByRole("button", { name, exact });

  /** Opens the console with an injected wallet, and signs in with it. */
  async function signedIn(
    manner: WalletManner = "signs",
    keypair = Keypair.generate(),
  ): Promise<TestPage & { keypair: Keypair; asked: () => Promise<string[]> }> {
    const opened = await openConsole(
      browser,
      server.url,
      await walletScript(keypair.secretKey, manner),
    );
    await button(opened.page, "Test Wallet").click();
    await button(opened.page, "Leave").waitFor();
    const asked = () => opened.page.evaluate<string[]>("globalThis.asked");
    return { ...opened, keypair, asked };
  }

  /** A client of the same wallet, which does what the test does not show. */
  const clientOf = (keypair: Keypair, apiUrl = server.url) =>
    new TokenctlClient({ apiUrl, signer: keypairSigner(keypair) });

  /** Gives a wallet a token with 0.01 SOL of fees. */
  async function tokenWithFees(keypair: Keypair, ticker: string): Promise<string> {
    const client = clientOf(keypair);
    const { eventId } = await client.launch({ name: ticker, ticker });
    const { tokenMint } = await client.waitForLaunch(eventId);
    await client.dev.airdrop({ sol: 1 });
    await client.dev.trade({ tokenMint: tokenMint ?? "", side: "buy", sol: 1 });
    return tokenMint ?? "";
  }

  async function expectAccessible(page: Page): Promise<void> {
    // As the page's own, so that its Content-Security-Policy need not allow it.
    const violations = await page.evaluate(
      `${axe}; axe.run().then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
    );
    expect(violations).toEqual([]);
  }

  test("a newcomer sees a token's whole life with the sandbox's wallet", async () => {
    await using opened = await openConsole(browser, server.url);
    const { page, faults, foreign } = opened;
    await button(page, /sandbox wallet/).waitFor();
    await expectAccessible(page);
    // By the keyboard alone.
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate("document.activeElement.textContent");
      if (String(focused).includes("sandbox wallet")) break;
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No tokens yet" }).waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Launch a token" }).click();
    await page.getByLabel("Name").fill("Wif hat");
    await page.getByLabel("Ticker").fill("w");
    await page.getByText("Wif hat (").waitFor({ state: "detached" });
    await page.getByLabel("Ticker").fill("wifhat");
    await page.getByText("It can be launched now.").waitFor();
    await page.getByLabel("Website").fill("not a link");
    await page.locator("#website-problem").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Website").fill("https://wif.example");
    await page.getByText("It can be launched now.").waitFor();
    await page
      .getByLabel("Image", { exact: true })
      .setInputFiles({ name: "wif.gif", mimeType: "image/gif", buffer: GIF });
    await page.getByText("Uploaded", { exact: true }).waitFor();
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "See the token" }).click();
    await button(page, "Buy for 1 SOL").click();
    await button(page, "Claim").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This transaction takes the fees that WIFHAT earned").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Sign with Sandbox wallet" }).click();
    await page.getByRole("row", { name: /0\.0100/ }).waitFor();
    await button(page, "Buy for 1 SOL").click();
    await button(page, "Claim").click();
    await button(page, "Do not sign").click();
    await page.getByText("You declined; nothing was signed").waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Activity" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Download CSV").click(),
    ]);
    const rows = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(rows[0]).toBe("time,ticker,mint,lamports,sol,transaction");
    expect(rows.slice(1)).toEqual([expect.stringMatching(/,WIFHAT,\w+,10000000,0\.01,\w+$/)]);
    await page.getByRole("heading", { name: "Launches" }).waitFor();
    // No explorer knows the sandbox.
    const claimed = page.getByRole("row", { name: /WIFHAT.*0\.0100/ });
    expect(await claimed.getByRole("cell").last().textContent()).toMatch(/^\w{8}…$/);
    expect(await claimed.getByRole("link").count()).toBe(0);
    await expectAccessible(page);
    await page.goBack();
    await page.getByRole("heading", { name: /WIFHAT/ }).waitFor();

    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.getByRole("link", { name: "Tokens", exact: true }).click();
      await page.getByRole("link", { name: "WIFHAT" }).waitFor();
      await expectAccessible(page);
    }
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("a link with a sandbox's key shows that wallet, and loses the key", async () => {
    const keypair = Keypair.generate();
    await tokenWithFees(keypair, "LINKED");
    const link = `${server.url}/#/sandbox/${bs58.encode(keypair.secretKey)}`;
    await using opened = await openConsole(browser, link);
    await opened.page.getByRole("link", { name: "LINKED" }).waitFor();
    expect(opened.page.url()).toBe(`${server.url}/#/`);
  });

  test("every screen fits from 360 to 1,920 pixels", async () => {
    const keypair = Keypair.generate();
    const mint = await tokenWithFees(keypair, "FITS");
    await using opened = await signedIn("signs", keypair);
    const { page } = opened;
    const screens = ["#/", "#/launch", "#/activity", `#/token/${mint}`];
    for (const width of [360, 768, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      for (const screen of screens) {
        await page.evaluate(`location.hash = "${screen}"`);
        await page.locator("main h1").waitFor();
        const overflow = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect({ width, screen, overflow }).toEqual({ width, screen, overflow: 0 });
      }
    }
  });

  test("a browser's wallet signs in once, and claims all tokens", async () => {
    const keypair = Keypair.generate();
    await tokenWithFees(keypair, "STAND");
    await using opened = await signedIn("signs", keypair);
    const { page, asked, faults } = opened;
    await button(page, "Claim all").click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByText("claimed", { exact: true }).waitFor();
    expect(await asked()).toEqual(["message", "transaction"]);
    expect((await clientOf(keypair).claimHistoryPage()).claims).toMatchObject([
      { ticker: "STAND", claimedLamports: "10000000" },
    ]);
    expect(faults).toEqual([]);
  });

  test.each([
    ["refuses", "REFUSE", /User rejected the request/],
    ["changes the transaction", "CHANGE", /sign/i],
  ] as const)("a wallet that %s claims nothing", async (manner, ticker, text) => {
    const keypair = Keypair.generate();
    await tokenWithFees(keypair, ticker);
    await using opened = await signedIn(manner, keypair);
    const { page, asked } = opened;
    await button(page, `Claim the fees of ${ticker}`).click();
    await button(page, "Sign with Test Wallet").click();
    await page.getByRole("alert").filter({ hasText: text }).waitFor();
    expect(await asked()).toEqual(["message", "transaction"]);
    expect((await clientOf(keypair).claimHistoryPage()).claims).toEqual([]);
  });

  test("a hostile claim never reaches the wallet", async () => {
    const keypair = Keypair.generate();
    const mint = await tokenWithFees(keypair, "HOSTILE");
    await using opened = await signedIn("signs", keypair);
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
    await button(page, "Claim the fees of HOSTILE").click();
    await page
      .getByRole("alert")
      .filter({ hasText: /not signed|refused|claim/i })
      .waitFor();
    expect(await asked()).toEqual(["message"]);
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
  });

  test("a session that runs out is renewed by one signature, and the form stays", async () => {
    await using opened = await signedIn();
    const { page, asked } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByLabel("Name").fill("Still here");
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
    await page.getByText("It is on chain and can be traded.").waitFor();
    expect(await asked()).toEqual(["message", "message"]);
  });

  test("a server that is restarted in the middle is found again", async () => {
    using own = tempFolder();
    await using first = await startTokend([tokend], own.path);
    const keypair = Keypair.generate();
    await using opened = await openConsole(
      browser,
      first.url,
      await walletScript(keypair.secretKey),
    );
    const { page } = opened;
    await button(page, "Test Wallet").click();
    await page.getByRole("heading", { name: "No tokens yet" }).waitFor();
    await first.end("SIGKILL");
    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByText("The server cannot be reached.").first().waitFor();
    await using _second = await startTokend([tokend], own.path, { PORT: new URL(first.url).port });
    await button(page, "Try again").first().click();
    await page.getByText("Nothing was claimed yet.").waitFor();
  });

  test("a launch that waits is cancelled and retried on its own page and in the list", async () => {
    using own = tempFolder();
    const { env } = clusterSettings(own.path);
    const settings = { ...env, PUBLIC_URL: "http://localhost" };
    await using waiting = await startTokend([tokend], own.path, settings);
    const [keypair, otherKeypair] = [Keypair.generate(), Keypair.generate()];
    const [client, other] = [keypair, otherKeypair].map((each) => clientOf(each, waiting.url));
    if (!client || !other) throw new Error("two clients");
    const { eventId } = await client.launch({ name: "It waits", ticker: "WAITS" });
    await using opened = await openConsole(
      browser,
      `${waiting.url}/#/launch/${eventId}`,
      await walletScript(keypair.secretKey),
    );
    const { page, faults } = opened;
    let goOn = Promise.withResolvers<void>();
    await page.route(/\/(cancel|retry)$/, async (route) => {
      await goOn.promise;
      await route.continue();
    });
    // Until it is answered, a second press does nothing.
    const press = async (name: string) => {
      goOn = Promise.withResolvers();
      await button(page, name).click();
      await page.getByRole("button", { name, exact: true, disabled: true }).waitFor();
      goOn.resolve();
    };
    await button(page, "Test Wallet").click();
    await press("Cancel the launch");
    await page.getByText("It was not launched: Cancelled by its agent").waitFor();
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "failed" });

    // The ticker is free at once, so another may take it; then there is nothing to retry with.
    const taken = await other.launch({ name: "It is quicker", ticker: "WAITS" });
    await press("Try again");
    await page.getByRole("alert").filter({ hasText: "Ticker WAITS already exists" }).waitFor();
    await other.cancelLaunch(taken.eventId);
    await press("Try again");
    await button(page, "Cancel the launch").waitFor();

    await page.getByRole("link", { name: "Activity" }).click();
    await press("Cancel WAITS");
    const row = page.getByRole("row", { name: "WAITS" });
    await row.getByText("Cancelled by its agent").waitFor();
    await press("Retry WAITS");
    await button(page, "Cancel WAITS").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "pending" });
    expect(await other.launchStatus(taken.eventId)).toMatchObject({ status: "failed" });
    expect(faults).toEqual([]);
  });

  test("a transaction leads to its cluster's explorer, which learns nothing of the page", async () => {
    const keypair = Keypair.generate();
    const tokenMint = await tokenWithFees(keypair, "LINKS");
    const { transactionHash } = await clientOf(keypair).claim(tokenMint);
    const script = await walletScript(keypair.secretKey);
    await using opened = await openConsole(browser, "about:blank", script);
    const { page } = opened;
    let network = "";
    await page.route("**/health", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), network } });
    });
    const shown = page.getByText(`${transactionHash.slice(0, 8)}…`, { exact: true });
    const link = page.getByRole("link").and(shown);
    const showOn = async (name: string) => {
      network = name;
      await page.goto(`${server.url}/?${name}#/activity`);
      await button(page, "Test Wallet").click();
      await shown.waitFor();
    };
    const url = `https://explorer.solana.com/tx/${transactionHash}`;
    await showOn("private");
    expect(await link.count()).toBe(0);
    await showOn("mainnet-beta");
    expect(await link.getAttribute("href")).toBe(url);
    await showOn("devnet");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");

    const asked: { url: string; referer: string | undefined }[] = [];
    await page.context().route("https://explorer.solana.com/**", async (route) => {
      asked.push({ url: route.request().url(), referer: route.request().headers().referer });
      await route.fulfill({ contentType: "text/html", body: "An explorer" });
    });
    const [explorer] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await explorer.getByText("An explorer").waitFor();
    expect(await explorer.evaluate("opener")).toBeNull();
    expect(asked).toEqual([{ url: `${url}?cluster=devnet`, referer: undefined }]);
  });

  test("a thousand tokens are one table", async () => {
    await using opened = await openConsole(
      browser,
      server.url,
      await walletScript(Keypair.generate().secretKey),
    );
    const { page } = opened;
    const tokens = Array.from({ length: 1_000 }, (_, n) => manyToken(n));
    await page.route("**/api/v1/tokens/", (route) => route.fulfill({ json: { tokens } }));
    await page.route("**/api/v1/tokens/claims", (route) =>
      route.fulfill({ json: { claims: tokens.map(feesOf) } }),
    );
    await button(page, "Test Wallet").click();
    await page.getByRole("row").nth(1_000).waitFor();
    const milliseconds = await page.evaluate(`(async () => {
      const started = performance.now();
      location.hash = "#/launch";
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      location.hash = "#/";
      while (document.querySelectorAll("tbody tr").length < 1000) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return Math.round(performance.now() - started);
    })()`);
    console.log(`1,000 tokens: table after ${milliseconds} ms`);
    expect(await page.getByRole("row").count()).toBe(1_001);
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

const addressOf = (n: number) => new PublicKey(Buffer.alloc(32, 1).fill(n % 251, 3, 9)).toBase58();

function manyToken(n: number) {
  const mint = Buffer.alloc(32, 7);
  mint.writeUInt32LE(n);
  return {
    poolAddress: addressOf(n),
    tokenMint: new PublicKey(mint).toBase58(),
    ticker: `T${n}`,
    tokenName: `Token ${n}`,
    isClaimed: false,
    claimedAt: null,
    claimedToAddress: null,
    deployedAt: new Date(0).toISOString(),
  };
}

function feesOf({ tokenMint, poolAddress, ticker }: ReturnType<typeof manyToken>) {
  return {
    ...{ tokenMint, poolAddress, ticker, isMigrated: false },
    ...{ dbcClaimableFees: 0.012345678, dbcTotalFees: 0.1, dbcClaimedFees: 0.087654322 },
    ...{ lpClaimableFees: 0, lpTotalFees: 0, lpClaimedFees: 0 },
  };
}
