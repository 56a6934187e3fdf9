import { afterAll, beforeAll, expect, test } from "bun:test";
import { Connection, Keypair, SystemProgram } from "@solana/web3.js";
import { send as sendTransaction } from "../../server/src/launchpad/meteora/testing/send.ts";
import { Agent, type Answer } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

/** The network fee and the rent of the account in which the fees are unwrapped, in SOL. */
const REQUIRED = 0.00204428;

let server: TestServer;
let agent: Agent;
let mint: string;
beforeAll(async () => {
  server = await startTestServer({ METRICS_PORT: "0", SPONSOR_CLAIMS: "false" });
  agent = await Agent.signedIn(server);
  mint = (await agent.launched("POOR")).tokenMint ?? "";
  await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
});
afterAll(() => server[Symbol.asyncDispose]());

function expectShort({ status, body }: Answer, balanceSOL: number, missing: string): void {
  expect(status).toBe(409);
  expect(body).toEqual({
    error: "Wallet cannot pay for the claim",
    code: "insufficient_sol",
    message: `The wallet holds ${balanceSOL} SOL, and the claim takes ${REQUIRED} SOL up front, for the network fee and the rent of token accounts: send at least ${missing} SOL to ${agent.wallet}, then claim again`,
    requiredSOL: REQUIRED,
    balanceSOL,
  });
}

test("a wallet that cannot pay for a claim learns the missing amount in both steps, and that amount is enough", async () => {
  expectShort(await agent.post(`/api/v1/tokens/claims/${mint}`), 0, "0.00204428");
  await agent.post("/dev/airdrop", { sol: 0.002 });
  expectShort(await agent.post(`/api/v1/tokens/claims/${mint}`), 0.002, "0.00004428");
  await agent.post("/dev/airdrop", { sol: 0.01 });
  const signed = agent.signClaim((await agent.prepareClaim(mint)).transaction);

  const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
  const away = {
    fromPubkey: agent.keypair.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: 0.01e9 - 5_000,
  };
  await sendTransaction(chain, [SystemProgram.transfer(away)], [agent.keypair]);
  expectShort(await agent.submitClaim(mint, signed), 0.002, "0.00004428");

  await agent.post("/dev/airdrop", { sol: 0.00004428 });
  expect(await agent.submitClaim(mint, signed)).toMatchObject({
    status: 200,
    body: { claimedSOL: 0.01 },
  });

  // Nothing was sent, and the metrics must not alert the operator, who can do nothing about it.
  const metrics = await (await fetch(server.metricsUrl ?? "")).text();
  expect(metrics).toContain('tokend_claims_total{outcome="confirmed"} 1');
  expect(metrics).not.toMatch(/claims_total\{outcome="(refused|put_off|insufficient_sol)"/);
  expect(metrics).not.toMatch(/status="5/);
});
