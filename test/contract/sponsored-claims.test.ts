import { afterAll, beforeEach, expect, test } from "bun:test";
import { Connection, Keypair, SystemProgram } from "@solana/web3.js";
import { send as sendTransaction } from "../../server/src/launchpad/meteora/testing/send.ts";
import { MAX_SPONSORED_AT_RISK } from "../../server/src/modules/claims/service.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

let agent: Agent;
let mint: string;
let tickers = 0;
const server = await startTestServer();
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  agent = await Agent.signedIn(server);
  mint = await launched();
});

/** Launches a token of the agent's on a day of its own, and earns it 0.01 SOL. */
async function launched(): Promise<string> {
  server.clock.advance(24 * 3_600_000);
  await agent.signIn();
  const { tokenMint } = await agent.launched(`SP${tickers++}`);
  await agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
  return tokenMint ?? "";
}

/** A connection to the server, whose port a restart changes. */
const chain = () => new Connection(`${server.url}/dev/rpc`, "confirmed");
const balance = () => chain().getBalance(agent.keypair.publicKey);

test("the sponsor signs no claim that the chain would refuse", async () => {
  const prepared: string[] = [];
  for (let count = 0; count < MAX_SPONSORED_AT_RISK + 2; count++) {
    prepared.push(agent.signBeside((await agent.prepareClaim(mint)).transaction));
  }
  const [first = "", ...others] = prepared;
  expect((await agent.submitClaim(mint, first)).status).toBe(200);
  const answers: unknown[] = [];
  for (const signed of others) answers.push((await agent.submitClaim(mint, signed)).body);
  // Each is simulated before the launch wallet signs it, so that none has cost a fee or a place.
  expect(answers.map((body) => (body as { code: string }).code)).toEqual(
    Array(MAX_SPONSORED_AT_RISK + 1).fill("no_fees_to_claim"),
  );

  // The wallet is empty again, and has earned new fees.
  const away = {
    fromPubkey: agent.keypair.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: (await balance()) - 5_000,
  };
  await sendTransaction(chain(), [SystemProgram.transfer(away)], [agent.keypair]);
  await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
  expect(await agent.prepareClaim(mint)).toMatchObject({ sponsored: true });
});
