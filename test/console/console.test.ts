import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import type { TokenctlClient } from "../../sdk/src/index.ts";
import { GIF } from "../support/images.ts";
import { isBrowserMissing } from "./browser.ts";
import { button, expectAccessible, Scene } from "./scene.ts";

setDefaultTimeout(300_000);

describe.skipIf(isBrowserMissing)("the console in a browser", () => {
  const scene = Scene.ofTests();

  test("a newcomer sees a token's whole life with the sandbox's wallet", async () => {
    await using opened = await scene.open();
    const { page, faults, foreign } = opened;
    await button(page, /sandbox wallet/).waitFor();
    await expectAccessible(page);
    // By the keyboard alone: the dialog has the focus.
    await page.locator("dialog button:focus").filter({ hasText: "sandbox wallet" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("No tokens yet").last().waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Launch a token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("A name that has more than 32 bytes");
    await page.getByText('where it would be "A name that has more than 32 byt"').waitFor();
    await page.getByRole("checkbox", { name: "Shorten the name on chain" }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("On-chain name").fill("On chain");
    await page.getByLabel("Ticker").fill("WIFHAT");
    await page.getByText("On chain (WIFHAT)").waitFor();
    await page.getByLabel("On-chain name").fill("");
    await page.getByLabel("Name", { exact: true }).fill("Wif hat");
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
    await button(page, "Remove image").waitFor();
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();

    await page.getByRole("link", { name: "See the token" }).click();
    await button(page, "Buy for 1 SOL").click();
    await button(page, "Claim").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "You receive 0.00999 SOL" }).waitFor();
    await dialog.getByText("Fees of WIFHAT").waitFor();
    await dialog.getByText("Each instruction, in words").click();
    await dialog
      .getByText("Closes your wallet's account for wrapped SOL and pays its SOL")
      .waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Sign with Sandbox wallet" }).click();
    await page.getByRole("listitem").filter({ hasText: "0.01 SOL" }).waitFor();
    await button(page, "Buy for 1 SOL").click();
    await button(page, "Claim").click();
    await button(page, "Not now").click();
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
    // No explorer knows the sandbox.
    const claimed = page.getByRole("listitem").filter({ hasText: "0.01 SOL" });
    expect(await claimed.textContent()).toMatch(/^Fees of WIFHAT paid out.*\w{8}…0\.01 SOL$/);
    expect(await claimed.getByRole("link").allTextContents()).toEqual(["Fees of WIFHAT paid out"]);
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await button(page, "Launches").click();
    await page.getByRole("link", { name: "WIFHAT is on chain" }).waitFor();
    await claimed.waitFor({ state: "detached" });
    await expectAccessible(page);
    await page.goBack();
    await page.getByRole("heading", { name: /WIFHAT/ }).waitFor();

    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("a link with a sandbox's key shows that wallet, and loses the key", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "LINKED");
    const link = `${scene.url}/#/sandbox/${bs58.encode(keypair.secretKey)}`;
    await using opened = await scene.open(link);
    await opened.page.getByRole("link", { name: "LINKED" }).waitFor();
    expect(opened.page.url()).toBe(`${scene.url}/#/tokens`);
  });

  test("a token's page needs no sign-in, and shows the token's own words as text", async () => {
    const client = scene.clientOf(Keypair.generate());
    const name = `"><script>alert(1)</script> & <b>'$&`;
    const description = "Knits hats; <i>for dogs</i>";
    const launch = { name, ticker: "PREVIEW", description, onChainName: "Preview" };
    const { eventId } = await client.launch({ ...launch, twitter: "https://x.com/preview" });
    const { tokenMint } = await client.waitForLaunch(eventId);
    const url = `${scene.url}/t/${tokenMint}`;

    const unknown = `${scene.url}/t/${Keypair.generate().publicKey}`;
    await using opened = await scene.open(url);
    const { page, faults, foreign } = opened;
    expect(await page.title()).toBe(`${name} (PREVIEW)`);
    await page.getByRole("heading", { name: "PREVIEW" }).waitFor();
    await page.getByText(name, { exact: true }).waitFor();
    await page.getByText("the creator gets 100 %").first().waitFor();
    expect(await page.getByRole("link", { name: "X", exact: true }).getAttribute("rel")).toContain(
      "noopener",
    );
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    await page.goto(unknown);
    await page.getByText("This service has launched no such token").waitFor();
    await button(page, "Sign in").click();
    await button(page, /sandbox wallet/).waitFor();
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
    await page.getByText("+0.99 SOL", { exact: true }).waitFor();
    await page.getByRole("progressbar", { name: "1 % of the bonding curve" }).waitFor();
    await page.getByText("Earned on the bonding curve0.01 SOL").waitFor();
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
    await page.context().setOffline(true);
    await page.getByText("You are offline. This page goes on when you are back.").waitFor();
    await page.getByRole("progressbar", { name: "Curve complete" }).waitFor();
    await page.context().setOffline(false);
    await page.getByText("You are offline").waitFor({ state: "detached" });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy mint").click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(tokenMint);
    // Its agent's page knows the day from the agent's events.
    await using own = await scene.open(`${scene.url}/#/sandbox/${bs58.encode(keypair.secretKey)}`);
    await own.page.getByRole("link", { name: "MARKET", exact: true }).click();
    await own.page
      .getByText(/graduated at 85 SOL on \w{3} \d+, and trades in a liquidity pool now/)
      .waitFor();
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
    // Nor when the page has read the server's health because of it, which is good.
    for (const _ of ["once", "once more"]) {
      const health = page.waitForResponse("**/health");
      await page.clock.fastForward(60_000);
      await health;
    }
    expect(asked).toBe(1);
    await Promise.all([page.waitForRequest("**/proof"), button(page, "Try again").click()]);
    await problem.waitFor();
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
});

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
