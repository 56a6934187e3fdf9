import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { ROOT, run, startProcess, tempFolder } from "../support/processes.ts";

setDefaultTimeout(60_000);

const TOKEND = [process.execPath, join(ROOT, "server/src/main.ts")];

function startTokend(folder: string, dataDir: string) {
  return startProcess(TOKEND, {
    cwd: folder,
    env: { PORT: "0", DATA_DIR: dataDir, MAX_LAUNCHES_PER_AGENT: "0" },
    ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
  });
}

test("a server restored from a backup of its busy hours goes on where that was made", async () => {
  using folder = tempFolder();
  const dataDir = join(folder.path, "data");
  const restoredDir = join(folder.path, "restored");
  const file = join(folder.path, "backup");

  await using server = await startTokend(folder.path, dataDir);
  const owner = await Agent.signedIn(server);
  const { tokenMint } = await owner.launched("OWNED");
  const mint = tokenMint ?? "";
  await owner.post("/dev/airdrop", { sol: 1 });
  await owner.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 2 });
  await owner.claim(mint);
  await owner.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 3 });
  const fees = await owner.fees(mint);

  // Accepted before the backup began; some are deployed during it.
  const others = await Promise.all(Array.from({ length: 8 }, () => Agent.signedIn(server)));
  const accepted = await Promise.all(
    others.map(async (agent, index) => {
      const { body } = await agent.launch({ ticker: `BUSY${index}` });
      return { keypair: agent.keypair, eventId: (body as { eventId: string }).eventId };
    }),
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
  await using restored = await startTokend(folder.path, restoredDir);

  const ownerAgain = new Agent(restored, owner.keypair);
  await ownerAgain.signIn();
  expect((await ownerAgain.get("/api/v1/tokens/")).body).toMatchObject({
    tokens: [{ tokenMint: mint, ticker: "OWNED", isClaimed: true }],
  });
  expect(await ownerAgain.fees(mint)).toEqual(fees);
  for (const { keypair, eventId } of accepted) {
    const agent = new Agent(restored, keypair);
    await agent.signIn();
    const launch = await agent.settled(eventId);
    expect(launch.status).toBe("success");
    expect((await agent.get("/api/v1/tokens/")).body).toMatchObject({
      tokens: [{ tokenMint: launch.tokenMint }],
    });
  }

  // Pools trade on, and fees are still the agent's to claim.
  const trade = await ownerAgain.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
  expect(trade.status).toBe(200);
  const { claimedSOL } = await ownerAgain.claim(mint);
  expect(claimedSOL).toBeGreaterThan(fees.dbcClaimableFees);
});

test("what goes wrong is said in a sentence, without a stack", async () => {
  using folder = tempFolder();
  const env = { DATA_DIR: join(folder.path, "nowhere") };
  const backup = await run([...TOKEND, "backup", "file"], folder.path, env);
  expect(backup).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `tokend: There is no database in ${env.DATA_DIR}: set DATA_DIR to the server's.\n`,
  });
  const restore = await run([...TOKEND, "restore", "file"], folder.path, env);
  expect(restore).toMatchObject({ exitCode: 1, stderr: "tokend: There is no backup file.\n" });
});
