import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Connection, Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import {
  ClaimReceiptSchema,
  ClaimsReceiptSchema,
  PreparedClaimsSchema,
} from "@tokenctl/shared/contract/claim";
import { errorCodes } from "@tokenctl/shared/error-codes";
import bs58 from "bs58";
import { send as sendTransaction } from "../../server/src/launchpad/meteora/testing/send.ts";
import { MAX_SPONSORED_AT_RISK } from "../../server/src/modules/claims/service.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

/** What the network takes for two signatures, and the rent of the account for wrapped SOL, in SOL. */
const FEE = 0.00001;
const REPAYMENT = 0.00204928;

let server: TestServer;
let agent: Agent;
let mint: string;
let tickers = 0;
beforeAll(async () => {
  server = await startTestServer();
});
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
const errorOf = ({ body }: { body: unknown }) => (body as { error: string }).error;

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

test("an agent that can pay gets the transaction as ever", async () => {
  await agent.post("/dev/airdrop", { sol: 1 });
  const prepared = await agent.prepareClaim(mint);
  expect(Object.keys(prepared).toSorted()).toEqual(["expiresInSeconds", "success", "transaction"]);
  const { feePayer, signatures } = Transaction.from(Buffer.from(prepared.transaction, "base64"));
  expect(feePayer?.toBase58()).toBe(agent.wallet);
  expect(signatures).toHaveLength(1);
});

test("the service signs only the message that it built, with the agent's own signature", async () => {
  const { transaction } = await agent.prepareClaim(mint);
  const unsigned = Buffer.from(transaction, "base64");
  const signed = Buffer.from(agent.signSponsored(transaction), "base64");
  const message = unsigned.subarray(129);
  const own = signed.subarray(65, 129);
  const altered = Buffer.from(unsigned);
  altered.writeUInt8((altered.at(-1) ?? 0) ^ 1, altered.length - 1);
  const stranger = Keypair.generate();
  const foreign = Buffer.from(signed);
  foreign.set(bs58.decode(new Agent(server, stranger).sign("x")), 65);
  const refusals: [string, Uint8Array, string][] = [
    [
      "one that repays other lamports",
      Buffer.from(agent.signSponsored(altered.toString("base64")), "base64"),
      errorCodes.claim_mismatch.text,
    ],
    [
      "its message with one signature",
      Buffer.concat([Buffer.of(1), own, message]),
      errorCodes.claim_mismatch.text,
    ],
    [
      "its message with three",
      Buffer.concat([Buffer.of(3), signed.subarray(1, 129), own, message]),
      errorCodes.claim_mismatch.text,
    ],
    [
      "the agent's signature in the sponsor's place",
      Buffer.concat([Buffer.of(2), own, signed.subarray(1, 65), message]),
      errorCodes.claim_unsigned.text,
    ],
    ["it unsigned", unsigned, errorCodes.claim_unsigned.text],
    ["it with another's signature", foreign, errorCodes.claim_unsigned.text],
  ];
  for (const [what, bytes, error] of refusals) {
    const answer = await agent.submitClaim(mint, Buffer.from(bytes).toString("base64"));
    expect([what, answer.status, errorOf(answer)]).toEqual([what, 400, error]);
  }
  const other = await Agent.signedIn(server);
  expect((await other.submitClaim(mint, signed.toString("base64"))).status).toBe(404);
  expect((await agent.submitClaim(mint, signed.toString("base64"))).status).toBe(200);
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

  test("can be sponsored", async () => {
    const tokenMints = [mint, await launched()];
    const { body } = await agent.post(path, { tokenMints });
    const { transaction, sponsored } = expectShape(PreparedClaimsSchema, body);
    expect(sponsored).toBe(true);
    const signedTransaction = agent.signSponsored(transaction);
    expect((await agent.post(path, { tokenMints, signedTransaction })).status).toBe(200);
    expect(await balance()).toBe(Math.round((0.02 - FEE) * 1e9));
  });

  test("names no token of another agent, and none that is no token", async () => {
    const other = await Agent.signedIn(server);
    for (const tokenMints of [[mint], [Keypair.generate().publicKey.toBase58()]]) {
      const answer = await other.post(path, { tokenMints });
      expect([answer.status, errorOf(answer)]).toEqual([404, errorCodes.token_not_found.text]);
    }
  });

  const [first = "", ...others] = Array.from({ length: 21 }, () =>
    Keypair.generate().publicKey.toBase58(),
  );
  test.each([
    ["nothing", undefined, errorCodes.mint_required.text],
    ["an empty body", {}, errorCodes.mint_required.text],
    ["a transaction alone", { signedTransaction: "AA==" }, errorCodes.mint_required.text],
    [
      "a transaction of other tokens",
      { tokenMints: [first], signedTransaction: "AA==" },
      errorCodes.claim_mismatch.text,
    ],
    ["no token", { tokenMints: [] }, errorCodes.validation_failed.text],
    ["a token twice", { tokenMints: [first, first] }, errorCodes.validation_failed.text],
    ["21 tokens", { tokenMints: [first, ...others] }, errorCodes.validation_failed.text],
    ["no text", { tokenMints: [1] }, errorCodes.validation_failed.text],
    ["a field misspelt", { mints: [first] }, errorCodes.validation_failed.text],
  ])("is refused with %s", async (_, body, error) => {
    const answer = await agent.post(path, body);
    expect([answer.status, errorOf(answer)]).toEqual([400, error]);
  });
});
