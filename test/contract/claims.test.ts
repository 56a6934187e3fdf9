import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { getAssociatedTokenAddressSync, NATIVE_MINT } from "@solana/spl-token";
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const [programAddress] = PublicKey.findProgramAddressSync([], SystemProgram.programId);
const NO_KEY = programAddress.toBase58();

let server: TestServer;
let agent: Agent;
let mint: string;
beforeAll(async () => {
  server = await startTestServer();
  agent = await Agent.signedIn(server);
  mint = (await agent.launched("FEES")).tokenMint ?? "";
  expect((await agent.post("/dev/airdrop", { sol: 1 })).status).toBe(200);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Lets the sandbox's trader buy, so that there are fees. */
async function trade(sol = 1, tokenMint = mint): Promise<void> {
  const { status } = await agent.post("/dev/trade", { tokenMint, side: "buy", sol });
  expect(status).toBe(200);
}

test("the list of claims has one record per token, whose claimable fees grow with trades", async () => {
  const before = await agent.fees(mint);
  await trade(2);
  const after = await agent.fees(mint);
  expect(after.dbcTotalFees).toBeCloseTo(before.dbcTotalFees + 0.02, 9);
  expect(after.dbcClaimableFees + after.dbcClaimedFees).toBeCloseTo(after.dbcTotalFees, 9);
  expect(after).toMatchObject({
    tokenMint: mint,
    ticker: "FEES",
    lpClaimableFees: 0,
    lpTotalFees: 0,
    lpClaimedFees: 0,
    isMigrated: false,
  });
});

describe("POST /api/v1/tokens/claims/:mintAddress", () => {
  test("pays what the vaults held to the agent, which alone signs", async () => {
    await trade();
    const { dbcClaimableFees } = await agent.fees(mint);
    const { transaction, expiresInSeconds } = await agent.prepareClaim(mint);
    expect(expiresInSeconds).toBeGreaterThan(0);
    const unsigned = Transaction.from(Buffer.from(transaction, "base64"));
    expect(unsigned.feePayer?.toBase58()).toBe(agent.wallet);
    expect(unsigned.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([
      agent.wallet,
    ]);

    const first = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ success: true, claimedSOL: dbcClaimableFees });
    expect(await agent.fees(mint)).toMatchObject({ dbcClaimableFees: 0 });

    const again = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(again).toMatchObject({ status: 200, body: first.body });

    const { body } = await agent.get(`/api/v1/tokens/${mint}`);
    expect(expectShape(TokenSchema, body)).toMatchObject({
      isClaimed: true,
      claimedToAddress: agent.wallet,
    });
  });

  const someone = Keypair.generate().publicKey.toBase58();
  const receiver = (address: string, share: number) => ({ address, share });
  test.each([
    ["receivers/1/address", [receiver(someone, 50), receiver(someone, 50)], "is named twice"],
    ["receivers", [receiver(someone, 99)], "add up to 100"],
    ["receivers/0/share", [receiver(someone, 0)], "whole percentage"],
    ["receivers/0/share", [receiver(someone, 33.5)], "whole percentage"],
    ["receivers/0/share", [receiver(someone, 101)], "whole percentage"],
    ["receivers/0/address", [receiver("not an address", 100)], "the address of a wallet"],
    ["receivers/0/address", [receiver(NATIVE_MINT.toBase58(), 100)], "the address of a wallet"],
    ["receivers/0/address", [receiver(NO_KEY, 100)], "the address of a wallet"],
    ["receivers", [], "must be 1 to 5 receivers"],
    ["receivers", Array(6).fill(receiver(someone, 10)), "must be 1 to 5 receivers"],
    ["receivers/0/name", [{ ...receiver(someone, 100), name: "me" }], "is not a known field"],
  ])("answers 400 that names %s of wrong receivers", async (field, receivers, message) => {
    await trade();
    const { status, body } = await agent.post(`/api/v1/tokens/claims/${mint}`, { receivers });
    expect(status).toBe(400);
    const details: unknown = expect.arrayContaining([
      { field, message: expect.stringContaining(message) },
    ]);
    expect(body).toMatchObject({ code: "validation_failed", details });
  });

  test("pays an address that no keypair can sign for with force, but no program's account", async () => {
    await trade();
    const path = `/api/v1/tokens/claims/${mint}`;
    const asked = { receivers: [receiver(NO_KEY, 100)], force: true };
    const { transaction, receivers } = await agent.prepareClaim(mint, asked);
    const sent = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(sent).toMatchObject({ status: 200 });
    const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
    expect(await chain.getBalance(programAddress)).toBe(Number(receivers?.[0]?.paidLamports));
    await trade();
    const own = getAssociatedTokenAddressSync(NATIVE_MINT, agent.keypair.publicKey).toBase58();
    for (const address of [NATIVE_MINT.toBase58(), own]) {
      const refused = await agent.post(path, { receivers: [receiver(address, 100)], force: true });
      expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    }
  });

  test("takes receivers in step 1 alone, and pays none less than a wallet must hold", async () => {
    await trade();
    const receivers = [receiver(agent.wallet, 99), receiver(someone, 1)];
    const path = `/api/v1/tokens/claims/${mint}`;
    const both = await agent.post(path, { receivers, signedTransaction: "AAAA" });
    expect(both).toMatchObject({ status: 400, body: { details: [{ field: "receivers" }] } });
    await agent.claim(mint);
    await trade();
    const { status, body } = await agent.post(path, { receivers });
    expect(status).toBe(409);
    const message = expect.stringContaining(`${someone} would get 0.0001 SOL`) as unknown;
    expect(body).toMatchObject({ code: "receiver_below_minimum", message });
  });
});
