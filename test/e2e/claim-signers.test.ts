import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { LaunchAcceptedSchema, PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { parseSol } from "@tokenctl/shared/sol";
import { buy } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { airdrop } from "../support/airdrop.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import {
  type ChainProcess,
  NO_RATE_LIMITS,
  type ServerProcess,
  startLocalnet,
  startTokend,
  tempFolder,
} from "../support/processes.ts";
import { type ClaimSigner, installSigners } from "./claim-signers/sign.ts";

setDefaultTimeout(300_000);

describeMeteora("a claim and a launch of the real programs", () => {
  const folder = tempFolder();
  const trader = Keypair.generate();
  let signers: Record<string, ClaimSigner>;
  let localnet: ChainProcess;
  let server: ServerProcess;

  beforeAll(async () => {
    signers = await installSigners(folder.path);
    const { tokend } = await installBinaries(folder.path);
    localnet = await startLocalnet(tokend, folder.path, programsFolder(process.env));
    const { env } = await configureMeteora(tokend, folder.path, localnet.url);
    server = await startTokend([tokend], folder.path, {
      ...env,
      ...NO_RATE_LIMITS,
      LAUNCH_PAYER: "either",
    });
    await airdrop(new Connection(localnet.url, "confirmed"), trader.publicKey, 100e9);
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await localnet?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** What each library makes of the agent's and the mint's places for signatures. */
  const slots = (transaction: Uint8Array) =>
    [0, 1].map((n) => transaction.subarray(1 + 64 * n, 65 + 64 * n));

  test.concurrent.each([
    ["web3.js 1.95.8", "PA"],
    ["web3.js 1.98.4", "PB"],
    ["web3.js 1.99.0", "PC"],
    ["web3.js 3.0.0-rc.2", "PD"],
    ["kit 6.9.0", "PE"],
    ["kit 7.1.1", "PF"],
    ["kit 8.4.0", "PG"],
  ])(
    "a launch that is signed with %s is paid by its agent, and the mint signs after it",
    async (library, ticker) => {
      const agent = await Agent.signedIn(server);
      await airdrop(new Connection(localnet.url, "confirmed"), agent.keypair.publicKey, 1e9);
      const { body } = await agent.launch({ ticker, payer: "agent", firstBuySOL: 0.1 });
      const { eventId } = expectShape(LaunchAcceptedSchema, body);
      const path = `/api/v1/tokens/launch/${eventId}/transaction`;
      const prepared = expectShape(PreparedLaunchSchema, (await agent.post(path)).body);
      const bytes = Buffer.from(prepared.transaction, "base64");
      const signed = await signers[library]?.sponsored(bytes, agent.keypair);
      const [own, mints] = slots(signed ?? bytes);
      expect(own?.some((byte) => byte !== 0)).toBe(true);
      expect(mints?.every((byte) => byte === 0)).toBe(true);
      const signedTransaction = Buffer.from(signed ?? bytes).toString("base64");
      expect((await agent.post(path, { signedTransaction })).status).toBe(200);
      const { costSOL: cost } = prepared;
      const paid = { status: "success", tokenMint: prepared.tokenMint, costSOL: cost.total };
      expect(await agent.untilEnded(eventId)).toMatchObject(paid);
    },
  );

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
    const pool = new PublicKey(poolAddress ?? "");

    // Without SOL the wallet is offered a sponsored claim; what it earns pays for its next one.
    for (const kind of ["sponsored", "own"] as const) {
      await buy(new Connection(localnet.url, "confirmed"), { pool, trader }, parseSol("5"));
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
