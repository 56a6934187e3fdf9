import { afterAll, beforeAll, expect, test } from "bun:test";
import { Connection, Keypair } from "@solana/web3.js";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const DAY_MS = 24 * 3_600_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** An agent without SOL whose tokens have earned 0.01 SOL each, and its client. */
async function agentWith(tickers: readonly string[]) {
  const keypair = Keypair.generate();
  const rpcUrl = `${server.url}/dev/rpc`;
  const client = new TokenctlClient({
    apiUrl: server.url,
    rpcUrl,
    signer: keypairSigner(keypair),
  });
  const mints: string[] = [];
  for (const ticker of tickers) {
    // An agent launches once a day.
    server.clock.advance(DAY_MS);
    const { eventId } = await client.launch({ name: ticker, ticker });
    const { tokenMint } = await client.waitForLaunch(eventId, { intervalMs: 10 });
    await client.dev.trade({ tokenMint: tokenMint ?? "", side: "buy", sol: 1 });
    mints.push(tokenMint ?? "");
  }
  const balance = () => new Connection(rpcUrl, "confirmed").getBalance(keypair.publicKey);
  return { client, mints, balance };
}

test("the SDK claims several tokens with one signature and one network fee", async () => {
  const { client, mints, balance } = await agentWith(["MANYA", "MANYB", "MANYC"]);
  await client.dev.airdrop({ sol: 1 });
  const fees: bigint[] = [];
  const approve = (cost: { networkFeeLamports: bigint }) => void fees.push(cost.networkFeeLamports);
  const result = await client.claimMany(mints, { approve });
  expect(result).toMatchObject({
    claimedSOL: 0.03,
    gainedSOL: 0.029995,
    tokenMints: mints,
    verified: true,
  });
  expect(fees).toEqual([5_000n]);
  expect(await balance()).toBe(1.029995e9);
  await expect(client.claimMany(mints)).rejects.toMatchObject({ code: "no_fees_to_claim" });
});

test("the SDK claims without SOL, and shows what its sponsor is repaid", async () => {
  const { client, mints, balance } = await agentWith(["POORA", "POORB"]);
  const costs: unknown[] = [];
  const approve = (cost: unknown) => void costs.push(cost);
  const [first = "", second = ""] = mints;
  expect(await client.claim(first, { approve })).toMatchObject({
    claimedSOL: 0.01,
    gainedSOL: 0.00999,
    verified: true,
  });
  expect(costs).toEqual([
    {
      networkFeeLamports: 10_000n,
      rentLamports: 0n,
      createdAccounts: [],
      sponsor: { address: expect.any(String), repaidLamports: 2_049_280n },
    },
  ]);
  // Now it can pay for itself.
  await client.claimMany([first, second]);
  expect(await balance()).toBe(0.00999e9 + 0.01e9 - 5_000);
});
