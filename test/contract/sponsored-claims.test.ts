import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { Connection, Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import {
  ClaimReceiptSchema,
  ClaimsReceiptSchema,
  PreparedClaimsSchema,
} from "@tokenctl/shared/contract/claim";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { send as sendTransaction } from "../../server/src/launchpad/meteora/testing/send.ts";
import { MAX_SPONSORED_AT_RISK } from "../../server/src/modules/claims/service.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

/** What the network takes for two signatures, and the rent of the account for wrapped SOL, in SOL. */
const FEE = 0.00001;
const REPAYMENT = 0.00204928;

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

test("an agent without SOL claims its fees, and its sponsor loses nothing", async () => {
  const prepared = await agent.prepareClaim(mint);
  expect(prepared).toMatchObject({ sponsored: true, repaymentSOL: REPAYMENT });
  const signed = agent.signSponsored(prepared.transaction);
  const sponsor = Transaction.from(Buffer.from(signed, "base64")).feePayer;
  if (!sponsor) throw new Error("no fee payer");
  const before = await chain().getBalance(sponsor);

  const { status, body } = await agent.submitClaim(mint, signed);
  expect(status).toBe(200);
  const { transactionHash, claimedSOL } = expectShape(ClaimReceiptSchema, body);
  expect(claimedSOL).toBe(0.01);
  expect(await balance()).toBe((0.01 - FEE) * 1e9);
  expect(await chain().getBalance(sponsor)).toBe(before);
  const landed = await chain().getTransaction(transactionHash, { commitment: "confirmed" });
  expect(landed?.transaction.signatures[0]).toBe(transactionHash);
  // The same again gets the first answer.
  expect(await agent.submitClaim(mint, signed)).toMatchObject({ status: 200, body });
});

test("the sponsor signs no claim that the chain would refuse", async () => {
  const prepared: string[] = [];
  for (let count = 0; count < MAX_SPONSORED_AT_RISK + 2; count++) {
    prepared.push(agent.signSponsored((await agent.prepareClaim(mint)).transaction));
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

describe("a claim of several tokens", () => {
  const path = "/api/v1/tokens/claims";

  test("takes the fees of all in one transaction, and marks each as claimed", async () => {
    const tokenMints = [mint, await launched()];
    await agent.post("/dev/airdrop", { sol: 1 });
    const step1 = await agent.post(path, { tokenMints });
    const prepared = expectShape(PreparedClaimsSchema, step1.body);
    expect(prepared.tokenMints).toEqual(tokenMints);
    const before = await balance();
    const signedTransaction = agent.signClaim(prepared.transaction);
    const step2 = await agent.post(path, { tokenMints, signedTransaction });
    expect(expectShape(ClaimsReceiptSchema, step2.body)).toMatchObject({
      claimedSOL: 0.02,
      tokenMints,
    });
    expect((await balance()) - before).toBe(0.02e9 - 5_000);
    for (const each of tokenMints) {
      expect((await agent.get(`/api/v1/tokens/${each}`)).body).toMatchObject({ isClaimed: true });
    }
    expect(await agent.post(path, { tokenMints, signedTransaction })).toMatchObject({
      status: 200,
    });
    expect(await agent.post(path, { tokenMints })).toMatchObject({
      status: 409,
      body: { error: errorCodes.no_fees_to_claim.text },
    });
  });
});
