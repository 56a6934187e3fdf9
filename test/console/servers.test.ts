import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { admin, adminJson } from "../support/admin.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTokend, tempDir } from "../support/processes.ts";
import { isBrowserMissing } from "./browser.ts";
import { button, expectAccessible, Scene } from "./scene.ts";

setDefaultTimeout(300_000);

describe.skipIf(isBrowserMissing)("the console of a server", () => {
  const scene = Scene.ofTests();

  test("a launch that waits is cancelled and retried on its own page and in the list", async () => {
    using own = tempDir();
    const { env } = clusterSettings(own.path);
    const settings = { ...env, PUBLIC_URL: "http://localhost" };
    await using waiting = await startTokend(scene.tokend, own.path, settings);
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
    await page.getByText("Waiting: the Solana cluster cannot be reached · since").waitFor();
    const current = page.locator("[aria-current=step]");
    await current.filter({ hasText: /^Accepted\d\d:\d\d:\d\d$/ }).waitFor();
    await expectAccessible(page);
    // A cancellation that was not meant does nothing.
    await button(page, "Cancel …").click();
    await expectAccessible(page);
    await button(page, "Not now").click();
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "pending" });
    await press("Cancel …", true);
    await page.getByText("It is cancelled: nothing was launched").waitFor();
    const alarms = page.locator("main :is(.problem, .failed, .primary)");
    expect(await alarms.count()).toBe(0);
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

    await page.getByRole("link", { name: "Activity" }).click();
    await press("Cancel WAITS", true);
    await page.getByRole("listitem").getByText("Cancelled by its agent").waitFor();
    await press("Retry WAITS");
    await button(page, "Cancel WAITS").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "pending" });
    expect(await other.launchStatus(taken.eventId)).toMatchObject({ status: "failed" });
    expect(faults).toEqual([]);
  });

  test("a pause disables the button with its reason, and ends without a reload", async () => {
    using own = tempDir();
    const dataDir = join(own.path, "data");
    await using server = await startTokend(scene.tokend, own.path);
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
    const env = { ADMISSION: "invite" };
    await using server = await startTokend(scene.tokend, own.path, env);
    const dataDir = join(own.path, "data");
    const { invites } = await adminJson(dataDir, "invites", "create");
    const keypair = Keypair.generate();
    await using opened = await scene.open(`${server.url}/#/launch`, { keypair });
    const { page } = opened;
    await button(page, "Test Wallet").click();
    await page.getByLabel("Invite code").fill("wrong");
    await page.locator("#inviteCode-problem").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Name", { exact: true }).fill("Invited");
    await page.getByLabel("Ticker").fill("INVITED");
    await page.getByLabel("Invite code").fill(invites[0].code);
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
  });

  test("a transaction leads to its cluster's explorer, which learns nothing of the page", async () => {
    const keypair = Keypair.generate();
    const tokenMint = await scene.tokenWithFees(keypair, "LINKS");
    const { transactionHash } = await scene.clientOf(keypair).claim(tokenMint);
    await using opened = await scene.open(undefined, { keypair });
    const { page } = opened;
    let network = "private";
    await page.route("**/health", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), network } });
    });
    const shown = page.getByText(`${transactionHash.slice(0, 8)}…`, { exact: true });
    const link = page.getByRole("link").and(shown);
    const showOn = async (name: string) => {
      network = name;
      await page.goto(`${scene.url}/?${name}#/activity`);
      await shown.waitFor();
    };
    const url = `https://explorer.solana.com/tx/${transactionHash}`;
    await page.goto(`${scene.url}/?private#/activity`);
    await button(page, "Test Wallet").click();
    await shown.waitFor();
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
});
