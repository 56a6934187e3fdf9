import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { Agent } from "../support/agent.ts";
import { startMeteoraServer } from "../support/meteora-server.ts";
import { tempDir } from "../support/processes.ts";
import { type ClaimSigner, installSigners } from "./claim-signers/sign.ts";

setDefaultTimeout(300_000);

describeMeteora("a claim of the real programs", () => {
  const folder = tempDir();
  let signers: Record<string, ClaimSigner>;
  let server: Awaited<ReturnType<typeof startMeteoraServer>>;

  beforeAll(async () => {
    [signers, server] = await Promise.all([installSigners(folder.path), startMeteoraServer()]);
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test.concurrent.each([
    ["web3.js 1.95.8", "WA"],
    ["web3.js 1.98.4", "WB"],
    ["web3.js 1.99.0", "WC"],
    ["web3.js 3.0.0-rc.2", "WD"],
    ["kit 6.9.0", "KA"],
    ["kit 7.1.1", "KB"],
    ["kit 8.4.0", "KC"],
  ])("signed with %s lands, sponsored and own", async (library, ticker) => {
    const signer = signers[library];
    if (!signer) throw new Error(`${library} is not installed`);
    const agent = await Agent.signedIn(server);
    const { tokenMint, poolAddress } = await agent.launched(ticker);
    const mint = tokenMint ?? "";
    const trade = { pool: new PublicKey(poolAddress ?? ""), trader: server.trader };
    // Without SOL the wallet is offered a sponsored claim; what it earns pays for its next one.
    for (const kind of ["sponsored", "own"] as const) {
      await buy(server.connection, trade, parseSol("5"));
      const { dbcClaimableFees } = await agent.fees(mint);
      expect(dbcClaimableFees).toBeGreaterThan(0);
      const prepared = await agent.prepareClaim(mint);
      expect(prepared.sponsored ?? false).toBe(kind === "sponsored");
      const bytes = Buffer.from(prepared.transaction, "base64");
      const signed = Buffer.from(await signer[kind](bytes, agent.keypair)).toString("base64");
      expect(await agent.submitClaim(mint, signed)).toMatchObject({
        status: 200,
        body: { claimedSOL: dbcClaimableFees },
      });
    }
  });
});
