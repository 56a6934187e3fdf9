import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "@solana/web3.js";
import { PreparedClaimsSchema } from "@tokenctl/shared/contract/claim";
import { CRASH_POINTS, type CrashPointName } from "../../server/src/launchpad/crash-point.ts";
import { deriveKeypair } from "../../server/src/launchpad/local/accounts.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";
import { AgentActivity, newReceivers } from "./agent-activity.ts";
import { compareWithChain, NO_DIFFERENCE } from "./compare-with-chain.ts";

const DAY_MS = 86_400_000;
const STEPS = CRASH_POINTS.filter((name) => name.startsWith("claim."));

test("claims of several tokens that are interrupted at any step are in the history as the chain paid them", async () => {
  let interruptedAt: CrashPointName | null = null;
  const crashPoint = (name: CrashPointName) => {
    if (name === interruptedAt) throw new Error(`interrupted at ${name}`);
  };
  await using server = await startTestServer({}, { crashPoint });
  const activity = new AgentActivity();
  const agents = [await Agent.signedIn(server), await Agent.signedIn(server)];
  const mints = new Map<Agent, string[]>();
  for (const day of [0, 1]) {
    if (day > 0) server.clock.advance(DAY_MS);
    for (const agent of agents) {
      await agent.signIn();
      const { eventId, tokenMint } = await agent.launched(activity.nextTicker());
      activity.launches.push({ agent, eventId });
      mints.set(agent, [...(mints.get(agent) ?? []), tokenMint ?? ""]);
    }
  }
  // One of them is sponsored.
  await agents[0]?.post("/dev/airdrop", { sol: 1 });

  for (const [round, step] of STEPS.entries()) {
    for (const [agent, tokenMints] of mints) {
      agent.server = server;
      for (const [index, tokenMint] of tokenMints.entries()) {
        await agent.post("/dev/trade", { tokenMint, side: "buy", sol: index + 1 });
      }
      interruptedAt = null;
      // At each step one of the two agents pays other wallets.
      const receivers = (round + agents.indexOf(agent)) % 2 === 0 ? newReceivers() : [];
      const named = { tokenMints, ...(receivers.length > 0 && { receivers }) };
      const prepared = await agent.post("/api/v1/tokens/claims", named);
      const { transaction, sponsored } = expectShape(PreparedClaimsSchema, prepared.body);
      const signedTransaction = sponsored
        ? agent.signSponsored(transaction)
        : agent.signClaim(transaction);
      const [mint = ""] = tokenMints;
      const addresses = receivers.map(({ address }) => address);
      const claim = { agent, mint, tokenMints, receivers: addresses, signedTransaction };
      activity.claims.push({ ...claim, answer: null });
      interruptedAt = step;
      const sent = { tokenMints, signedTransaction };
      const { status } = await agent.post("/api/v1/tokens/claims", sent);
      expect(status).toBeGreaterThanOrEqual(500);
      interruptedAt = null;
      await server.restart();
      agent.server = server;
    }
  }

  const secret = readFileSync(join(server.config.dataDir, "mint.secret"), "utf8").trim();
  const wallet = deriveKeypair(Buffer.from(secret, "hex"), "wallet").publicKey;
  const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
  const file = join(server.config.dataDir, "tokend.sqlite");
  const comparison = await compareWithChain(server, chain, wallet, activity, file);
  expect(comparison).toMatchObject(NO_DIFFERENCE);
  // Those that were not stored lost their fees to the next ones.
  const confirmed = 2 * (STEPS.length - 1);
  expect(comparison).toMatchObject({ claimsSigned: 2 * STEPS.length, claimsConfirmed: confirmed });
});
