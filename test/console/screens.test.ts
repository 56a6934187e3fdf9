import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { pngImage } from "../support/images.ts";
import { isBrowserMissing } from "./browser.ts";
import { button, expectAccessible, Scene } from "./scene.ts";

setDefaultTimeout(300_000);

describe.skipIf(isBrowserMissing)("the console's screens", () => {
  const scene = Scene.ofTests();

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

  test("an image that is dropped is cropped to a square, and the token has it", async () => {
    await using opened = await scene.signedIn();
    const { page, keypair } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    // The left half is black, the right half white.
    const [width, height] = [80, 40];
    const pixels = Buffer.alloc((1 + 3 * width) * height);
    for (let row = 0; row < height; row++) {
      const start = row * (1 + 3 * width) + 1;
      pixels.fill(255, start + 3 * (width / 2), start + 3 * width);
    }
    await page.getByLabel("Image", { exact: true }).waitFor();
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob("${pngImage(width, height, [], pixels).toString("base64")}"), (it) => it.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], "wide.png", { type: "image/png" }));
      document.querySelector(".drop").dispatchEvent(
        new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
    // By the keyboard: to the right end.
    await page.getByLabel("Crop", { exact: true }).focus();
    await page.keyboard.press("End");
    await page.getByLabel("Name", { exact: true }).fill("Dropped");
    await page.getByLabel("Ticker").fill("DROPPED");
    await page.getByLabel("X", { exact: true }).fill("@dropped");
    await expectAccessible(page);
    await button(page, "Launch").click();
    await page.getByText("It is on chain and can be traded.").waitFor();
    const [token] = (await scene.clientOf(keypair).tokens()).tokens;
    const metadata = await scene.clientOf(keypair).metadata(token?.tokenMint ?? "");
    expect(metadata).toMatchObject({ twitter: "https://x.com/dropped", image: token?.imageUrl });
    await page.getByRole("link", { name: "See the token" }).click();
    const shown = page.locator("main img.token-image").first();
    await shown.waitFor();
    const seen = new URL((await shown.getAttribute("src")) ?? "", scene.url).pathname;
    expect(seen).toBe(new URL(token?.imageUrl ?? "").pathname);
    const found = await page.evaluate(`(async () => {
      const bitmap = await createImageBitmap(await (await fetch("${seen}")).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return [bitmap.width, bitmap.height, ...context.getImageData(0, 20, 1, 1).data];
    })()`);
    expect(found).toEqual([height, height, 255, 255, 255, 255]);
  });

  test("a form that is incomplete says at each field what it lacks, and takes the keyboard there", async () => {
    await using opened = await scene.signedIn();
    const { page } = opened;
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await button(page, "Launch").click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByText("Enter a ticker.").waitFor();
    await page.locator("#name:focus").waitFor();
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

  test("thresholds and webhooks are set and removed in the settings", async () => {
    const keypair = Keypair.generate();
    await scene.tokenWithFees(keypair, "TOLD");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    const client = scene.clientOf(keypair);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Threshold in SOL").fill("many");
    await button(page, "Set").click();
    await page.locator("#threshold-problem").waitFor();
    await page.getByLabel("For", { exact: true }).selectOption({ label: "TOLD" });
    await page.getByLabel("Threshold in SOL").fill("0.5");
    await button(page, "Set").click();
    await button(page, "Remove the threshold of TOLD").click();
    await button(page, "Remove the threshold of TOLD").waitFor({ state: "detached" });
    await page.getByLabel("For", { exact: true }).selectOption({ label: "All tokens" });
    await page.getByLabel("Threshold in SOL").fill("0,25");
    await button(page, "Set").click();
    await button(page, "Remove the threshold of All tokens").waitFor();
    expect((await client.feeThresholds()).thresholds).toMatchObject([{ claimableSOL: 0.25 }]);

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
    await button(page, "Remove the threshold of All tokens").click();
    await button(page, "Remove the threshold of All tokens").waitFor({ state: "detached" });
    expect((await client.feeThresholds()).thresholds).toEqual([]);
  });

  test("a payout address stays in the browser, gets what is claimed, and is shown before the signature", async () => {
    const [keypair, heir] = [Keypair.generate(), Keypair.generate()];
    const to = heir.publicKey.toBase58();
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
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Sign with Test Wallet" }).click();
    await page.getByRole("listitem").filter({ hasText: "0.01 SOL" }).waitFor();
    const { balanceSOL } = await scene.clientOf(keypair).balance({ wallet: to });
    expect(balanceSOL).toBe(0.01);
  });

  test("a token is handed over only after a second yes that names the wallet", async () => {
    const [keypair, heir] = [Keypair.generate(), Keypair.generate()];
    const to = heir.publicKey.toBase58();
    const mint = await scene.tokenWithFees(keypair, "HEIR");
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    await page.evaluate(`location.href = "/#/token/${mint}"`);
    await page.getByLabel("Address of the other wallet").fill(to);
    await button(page, "Hand over …").click();
    await page.getByRole("dialog").getByText(`go to ${to} for good`).waitFor();
    await expectAccessible(page);
    await button(page, "Not now").click();
    await page.getByText("You declined; nothing was signed").waitFor();
    await button(page, "Hand over …").click();
    await page.evaluate(COUNT_NOTICES);
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    await page.getByText("HEIR is handed over").first().waitFor();
    await using other = await scene.signedIn("signs", heir);
    await other.page.getByText("HEIR was handed over to you").waitFor();
    await expectAccessible(other.page);
    await other.page.setViewportSize({ width: 360, height: 800 });
    const over = "document.documentElement.scrollWidth - innerWidth";
    expect(await other.page.evaluate(over)).toBeLessThanOrEqual(0);
    await other.page.setViewportSize({ width: 1_440, height: 800 });
    await button(other.page, "Decline HEIR").click();
    await other.page.getByText("HEIR is declined").waitFor();
    await other.page.getByText("HEIR was handed over to you").waitFor({ state: "detached" });
    expect((await scene.clientOf(heir).waitingTokens()).tokens).toEqual([]);
    // By now the event has reached the giver's page, too.
    expect(await page.evaluate("most")).toBe(1);

    const giver = Keypair.generate();
    const next = await scene.tokenWithFees(giver, "NEXT");
    await scene.clientOf(giver).dev.airdrop({ sol: 1 });
    await scene.clientOf(giver).handOver(next, { to, claimFees: false });
    await other.page.reload();
    await button(other.page, "Accept NEXT").click();
    await other.page.getByRole("link", { name: "NEXT", exact: true }).waitFor();
    await other.page.getByText("NEXT was handed over to you").waitFor({ state: "detached" });
  });

  test("a launch shows each step that it has reached with its time", async () => {
    const keypair = Keypair.generate();
    const client = scene.clientOf(keypair);
    const { eventId } = await client.launch({ name: "Steps", ticker: "STEPS" });
    const ended = await client.waitForLaunch(eventId);
    await using opened = await scene.signedIn("signs", keypair);
    const { page } = opened;
    let shown: object = { ...ended, status: "pending", tokenMint: null, poolAddress: null };
    await page.route(`**/launch/status/${eventId}*`, (route) => route.fulfill({ json: shown }));
    const waits = (waitingFor: string, second: number) => {
      const waitingSince = new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();
      shown = { ...shown, processedAt: null, waitingFor, waitingSince };
    };
    const current = page.locator("[aria-current=step]");
    waits("deployment", 5);
    await page.evaluate(`location.href = "/#/launch/${eventId}"`);
    await current.filter({ hasText: /^SigningJan 31,.* \d\d:\d\d:05$/ }).waitFor();
    waits("confirmation", 8);
    await current.filter({ hasText: /^ConfirmingJan 31,.*:08$/ }).waitFor();
    const steps = page.getByRole("listitem");
    await steps.filter({ hasText: /^SigningJan 31,.*:05$/ }).waitFor();
    await expectAccessible(page);
    shown = ended;
    await page.getByText("It is on chain and can be traded.").waitFor();
    for (const name of ["Accepted", "Signing", "Confirming", "On chain"]) {
      await steps.filter({ hasText: RegExp(`^${name}.*\\d\\d:\\d\\d:\\d\\d$`) }).waitFor();
    }
  });

  test("the operator's view opens by its link, and pauses by the keyboard", async () => {
    const link = await scene.operatorLink("--control");
    await using opened = await scene.open(link);
    const { page } = opened;
    await page.getByRole("heading", { name: "Launches per hour" }).waitFor();
    expect(page.url()).toBe(`${scene.url}/#/operator`);
    const hostile = "<img src=x onerror=alert(1)> and a word as long as ".padEnd(400, "x");
    await page.getByLabel("Reason of a pause").focus();
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Pause sign-ins …");
    await page.keyboard.press("Enter");
    await page.getByText("Agents read the reason: enter one.").waitFor();
    await page.getByLabel("Reason of a pause").fill(hostile);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await button(page, "Resume sign-ins").waitFor();
    await button(page, "Resume sign-ins").click();
    await button(page, "Pause sign-ins …").waitFor();
    await page.reload();
    await button(page, "Close the view").click();
    await page.getByText("This view is closed").waitFor();
    await page.reload();
    await page.getByText("This view is closed").waitFor();
    expect(opened.faults).toEqual([]);

    await page.goto(link);
    await page.getByText("The link was opened before").waitFor();
    await expectAccessible(page);
  });

  test("the operator's view shows nothing without a link, and pauses nothing without --control", async () => {
    await using opened = await scene.open(`${scene.url}/#/operator`);
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByText("This view is closed").waitFor();
    await page.reload();
    await page.getByText("This view is closed").waitFor();
    expect(asked.filter((path) => path.startsWith("/operator"))).toEqual([]);
    await page.goto(await scene.operatorLink());
    await page.getByText(/^Read only/).waitFor();
    expect(await page.getByRole("button", { name: /Pause/ }).count()).toBe(0);
    expect(await page.getByLabel("Reason of a pause").count()).toBe(0);
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
