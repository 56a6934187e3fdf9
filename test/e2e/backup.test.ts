import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { Agent } from "../support/agent.ts";
import { run, startTokend, TOKEND, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

function start(folder: string, dataDir: string) {
  const env = { DATA_DIR: dataDir, MAX_LAUNCHES_PER_AGENT: "0" };
  return startTokend(TOKEND, folder, env);
}

test("a server restored from a backup taken under load continues from that moment", async () => {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const restoredDir = join(folder.path, "restored");
  const file = join(folder.path, "backup");

  await using server = await start(folder.path, dataDir);
  const owner = await Agent.signedIn(server);
  const { tokenMint } = await owner.launched("OWNED");
  const mint = tokenMint ?? "";
  await owner.post("/dev/airdrop", { sol: 1 });
  await owner.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 2 });
  await owner.claim(mint);
  await owner.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 3 });
  const fees = await owner.fees(mint);

  // Accepted before the backup begins; some are deployed during it.
  const others = await Promise.all(Array.from({ length: 8 }, () => Agent.signedIn(server)));
  const accepted = await Promise.all(
    others.map(async (agent, index) => ({
      keypair: agent.keypair,
      eventId: await agent.accepted(`BUSY${index}`),
    })),
  );
  let busy = true;
  const load = (async () => {
    for (let i = 0; busy; i++) await owner.launch({ ticker: `MORE${i}` });
  })();
  const backup = await run([...TOKEND, "backup", file], folder.path, { DATA_DIR: dataDir });
  busy = false;
  await load;
  expect({ exitCode: backup.exitCode, stderr: backup.stderr }).toMatchObject({ exitCode: 0 });
  expect(backup.stdout).toMatch(
    /backup {2}.*\n.*backup\.localnet {2}.*\n.*backup\.mint-secret {2}/,
  );
  await server.end("SIGKILL");

  const restore = await run([...TOKEND, "restore", file], folder.path, { DATA_DIR: restoredDir });
  expect({ exitCode: restore.exitCode, stderr: restore.stderr }).toMatchObject({ exitCode: 0 });
  await using restored = await start(folder.path, restoredDir);

  const ownerAgain = new Agent(restored, owner.keypair);
  await ownerAgain.signIn();
  expect((await ownerAgain.get("/api/v1/tokens/")).body).toMatchObject({
    tokens: [{ tokenMint: mint, ticker: "OWNED", isClaimed: true }],
  });
  expect(await ownerAgain.fees(mint)).toEqual(fees);
  for (const { keypair, eventId } of accepted) {
    const agent = new Agent(restored, keypair);
    await agent.signIn();
    const launch = await agent.untilEnded(eventId);
    expect(launch.status).toBe("success");
    expect((await agent.get("/api/v1/tokens/")).body).toMatchObject({
      tokens: [{ tokenMint: launch.tokenMint }],
    });
  }

  // Pools still trade, and the agent can still claim its fees.
  const trade = await ownerAgain.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
  expect(trade.status).toBe(200);
  const { claimedSOL } = await ownerAgain.claim(mint);
  expect(claimedSOL).toBeGreaterThan(fees.dbcClaimableFees);
});

test.each(["operator", "agent"] as const)(
  "a launch of the %s's SOL that is sent again under its key is the same token, also if the database has lost it",
  async (payer) => {
    const env = { LAUNCH_PAYER: "either" };
    await using server = await startTestServer(env, { isNewDatabase: true });
    const signer = keypairSigner(Keypair.generate().secretKey);
    const launch = async () => {
      const client = new TokenctlClient({ apiUrl: server.url, signer });
      await client.dev.airdrop({ sol: 1 });
      const request = { name: "Lost", ticker: "LOST", ...(payer === "agent" && { payer }) };
      const { eventId } = await client.launch(request, { idempotencyKey: "agent-coin-1" });
      const { status, tokenMint } = await client.waitForLaunch(eventId);
      const { tokens } = await client.tokens();
      expect({ status, tokens }).toMatchObject({ status: "success", tokens: [{ tokenMint }] });
      return { eventId, tokenMint };
    };
    const before = await launch();
    await server.stop();
    rmSync(join(server.config.dataDir, "tokend.sqlite"));
    await server.restart();
    expect(await launch()).toEqual(before);
  },
);
