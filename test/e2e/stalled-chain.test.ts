import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { ClaimReceiptSchema } from "@tokenctl/shared/contract/claim";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import { KINDS, openCluster } from "../../server/src/launchpad/meteora/testing/cluster.ts";
import { openLaunchpad, SOL } from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { FaultyRpc } from "../../server/src/solana/testing/faulty-rpc.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

/** How many times faster than ours time passes on the chain and in the server. */
const SPEED = 50;
const STEP_MS = 1_000;

async function open(kind: (typeof KINDS)[number]) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(tempDir());
  const cluster = await openCluster(kind);
  const { config, launchWallet } = await openLaunchpad(cluster, kind);
  const node = stack.use(FaultyRpc.of(cluster.chain));
  const keypair = join(folder.path, "wallet.json");
  writeFileSync(keypair, JSON.stringify([...launchWallet.secretKey]), { mode: 0o600 });
  const server = stack.use(
    await startTestServer({
      CHAIN: "solana",
      RPC_URL: node.url,
      LAUNCH_KEYPAIR: keypair,
      DBC_CONFIG: config.toBase58(),
      PUBLIC_URL: "https://tokens.example",
      MAX_DAILY_SPEND_SOL: "unlimited",
      MAX_LAUNCHES_PER_ADDRESS: "0",
    }),
  );
  const readHealth = () => fetch(`${server.url}/health`);
  const health = async () => expectShape(HealthSchema, await (await readHealth()).json());
  while (!(await health()).ok) await Bun.sleep(50);
  let halted: string | null = null;
  const owned = stack.move();
  return {
    cluster,
    /** Lets nothing land; `blocks` also stops the chain's time. */
    halt(how: "transactions" | "blocks" | null) {
      halted = how;
      if (how === null) node.calm();
      else node.landNothing();
    },
    server,
    readHealth,
    health,
    async pass(): Promise<void> {
      await Bun.sleep(STEP_MS / SPEED);
      if (halted !== "blocks") cluster.clock.advance(STEP_MS);
      server.clock.advance(STEP_MS);
    },
    async launching(ticker: string) {
      const agent = await Agent.signedIn(server);
      return { agent, eventId: await agent.accepted(ticker) };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describeMeteora("a chain that lands nothing", () => {
  const [slow, fast] = KINDS;
  describe.each([
    [slow, "transactions"],
    [fast, "blocks"],
  ] as const)("at $slotMs ms", (kind, what) => {
    test.concurrent(`halted ${what} turn health to 503 and name what waits, until all of it lands once`, async () => {
      await using scene = await open(kind);
      const { cluster, server, halt, health, readHealth, pass, launching } = scene;
      const owner = await Agent.signedIn(server);
      const token = await owner.launched("FIRST");
      const mint = token.tokenMint ?? "";
      const trader = cluster.wallet(20n * SOL);
      await buy(cluster.connection, { pool: new PublicKey(token.poolAddress ?? ""), trader }, SOL);
      cluster.chain.airdrop(owner.keypair.publicKey, SOL);
      const { transaction } = await owner.prepareClaim(mint);

      halt(what);
      const halted = server.clock.now();
      const claiming = owner.submitClaim(mint, owner.signClaim(transaction));
      const { agent, eventId } = await launching("SECOND");
      while ((await agent.status(eventId)).waitingFor !== "confirmation") await Bun.sleep(20);
      while ((await health()).stalled === undefined) {
        expect(await agent.status(eventId)).toMatchObject({ status: "pending" });
        await pass();
      }
      expect(server.clock.now() - halted).toBeGreaterThanOrEqual(30_000);
      const since = new Date(halted).toISOString();
      const answer = await readHealth();
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        ok: false,
        message: `Nothing has landed on the chain since ${since}. Launches and claims wait, and continue when it is over; 1 launch and 1 claim wait`,
        stalled: { since, launchesWaiting: 1, claimsWaiting: 1 },
      });
      expect(await agent.status(eventId)).toMatchObject({
        waitingFor: "chain_stalled",
        waitingSince: since,
      });
      const behind = await launching("THIRD");
      expect((await behind.agent.status(behind.eventId)).waitingFor).toMatch(
        /^(chain_stalled|deployment)$/,
      );

      halt(null);
      expect((await agent.untilEnded(eventId)).status).toBe("success");
      expect((await behind.agent.untilEnded(behind.eventId)).status).toBe("success");
      const claimed = await claiming;
      expect(claimed.status).toBe(200);
      expect(expectShape(ClaimReceiptSchema, claimed.body).claimedSOL).toBeGreaterThan(0);
      while (!(await health()).ok) await pass();
    });
  });
});
