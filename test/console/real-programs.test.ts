import { expect, setDefaultTimeout, test } from "bun:test";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import bs58 from "bs58";
import {
  factTitle,
  keypairSigner,
  proofVerdict,
  TokenctlClient,
  type TokenProof,
} from "../../sdk/src/index.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import { startLocalnet, startTokend, tempDir } from "../support/processes.ts";
import { isBrowserMissing, openConsole, startBrowser } from "./browser.ts";
import { button, expectAccessible } from "./scene.ts";

setDefaultTimeout(300_000);

describeMeteora("the console on the real programs", () => {
  test.skipIf(isBrowserMissing)(
    "claims, pays for a launch, and shows what the chain proves",
    async () => {
      using folder = tempDir();
      const { tokend } = await installBinaries(folder.path);
      await using localnet = await startLocalnet(tokend, folder.path, programsFolder(process.env));
      const { env } = await configureMeteora(tokend, folder.path, localnet.url, "--preset", "fair");
      await using server = await startTokend([tokend], folder.path, {
        ...env,
        PUBLIC_URL: "http://localhost",
        LAUNCH_PAYER: "either",
      });
      await using stack = new AsyncDisposableStack();
      const browser = await startBrowser();
      stack.defer(() => browser.close());
      const keypair = Keypair.generate();
      const client = new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(keypair) });
      const { eventId } = await client.launch({ name: "Seen by people", ticker: "SEEN" });
      const { poolAddress } = await client.waitForLaunch(eventId);
      const chain = new Connection(localnet.url, "confirmed");
      const trader = Keypair.generate();
      await chain.requestAirdrop(trader.publicKey, 10e9);
      const pool = new PublicKey(poolAddress ?? "");
      await buy(chain, { pool, trader }, parseSol("5"));
      await using opened = await openConsole(browser, `${server.url}/#/tokens`, { keypair });
      const { page, faults, foreign } = opened;
      await button(page, "Test Wallet").click();
      // The wallet holds no SOL: the service pays in advance, and the page says so.
      await button(page, "Claim all").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("the service advances the network fee").waitFor();
      expect(await dialog.getByText("Rent of new token accounts").count()).toBe(0);
      await button(page, "Sign with Test Wallet").click();
      await page.getByText("You received the fees of SEEN").waitFor();
      expect((await client.claimHistoryPage()).claims).toMatchObject([{ ticker: "SEEN" }]);
      expect(await chain.getBalance(keypair.publicKey)).toBeGreaterThan(0);
      expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });

      await buy(chain, { pool, trader }, parseSol("2"));
      await using play = await openConsole(browser, "about:blank");
      // A server that calls a chain a sandbox which is none.
      await play.page.route("**/health", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), network: "sandbox" } });
      });
      const key = ["tokend.sandbox-wallet", bs58.encode(keypair.secretKey)];
      await play.page.addInitScript(`localStorage.setItem(...${JSON.stringify(key)})`);
      await play.page.goto(`${server.url}/#/tokens`);
      await button(play.page, "Continue with the sandbox wallet").click();
      await button(play.page, "Claim all").click();
      await button(play.page, "Sign with Sandbox wallet").click();
      const refusal = "The wallet did not sign: This transaction can land where SOL has a value";
      await play.page.getByRole("alert").filter({ hasText: refusal }).waitFor();
      expect((await client.claimHistoryPage()).claims).toHaveLength(1);

      const buyer = Keypair.generate();
      await chain.requestAirdrop(buyer.publicKey, 1e9);
      await using other = await openConsole(browser, `${server.url}/#/tokens`, { keypair: buyer });
      await button(other.page, "Test Wallet").click();
      await other.page.getByRole("link", { name: "Launch a token" }).click();
      await other.page.getByLabel("Name", { exact: true }).fill("Own money");
      await other.page.getByLabel("Ticker").fill("OWN");
      await other.page.getByRole("radio", { name: /^You pay/ }).check();
      await other.page.getByLabel("First buy in SOL").fill("0.5");
      await other.page.getByText("your wallet pays").waitFor();
      await button(other.page, "Launch").click();
      await other.page.getByText("First buy of OWN").waitFor();
      await button(other.page, "Sign with Test Wallet").click();
      await other.page.getByText("It is on chain and can be traded.").waitFor();
      const ofBuyer = new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(buyer) });
      const [bought] = (await ofBuyer.launches()).launches;
      expect(1e9 - (await chain.getBalance(buyer.publicKey))).toBe(
        Math.round((bought?.costSOL ?? 0) * 1e9),
      );
      await other.page.goto(`${server.url}/t/${bought?.tokenMint}`);
      await other.page.getByText(/^Checked by this service at \d\d:\d\d:\d\d$/).waitFor();
      const { proof } = (await (
        await fetch(`${server.url}/public/tokens/${bought?.tokenMint}/proof`)
      ).json()) as { proof: TokenProof };
      const shown = (await other.page.locator(".proofs li").allTextContents()).join("\n");
      // The page shows each fact of the proof, in the SDK's words.
      expect(proof.facts.length).toBeGreaterThan(10);
      for (const fact of proof.facts) {
        expect(shown).toContain(factTitle(fact));
        expect(shown).toContain(fact.text);
      }
      await other.page.getByText(proofVerdict(proof), { exact: true }).waitFor();
      await other.page.setViewportSize({ width: 360, height: 900 });
      const over = "document.documentElement.scrollWidth - innerWidth";
      expect(await other.page.evaluate(over)).toBeLessThanOrEqual(0);
      await expectAccessible(other.page);
      await other.page.getByText(/^50 % of each trade, falling fast at first to 1 %/).waitFor();
      expect(other.faults).toEqual([]);

      await using newcomer = await openConsole(browser, `${server.url}/`);
      await newcomer.page.getByText("50 % at first, then 1 %").waitFor();
    },
  );
});
