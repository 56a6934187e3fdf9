import { afterAll, expect, test } from "bun:test";
import { Connection, Keypair } from "@solana/web3.js";
import { type ErrorCode, errorCodes } from "@tokenctl/shared/error-codes";
import { solToLamports } from "@tokenctl/shared/sol";
import {
  ClaimUnsettledError,
  type ClientOptions,
  type FetchLike,
  keypairSigner,
  TokenctlClient,
} from "../../sdk/src/index.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 24 * 3_600_000;

const server = await startTestServer();
afterAll(() => server[Symbol.asyncDispose]());

/** An agent without SOL whose tokens have earned 0.01 SOL each, and its client. */
async function agentWith(tickers: readonly string[], options: Partial<ClientOptions> = {}) {
  const keypair = Keypair.generate();
  const rpcUrl = `${server.url}/dev/rpc`;
  const client = new TokenctlClient({
    apiUrl: server.url,
    rpcUrl,
    signer: keypairSigner(keypair),
    ...options,
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
  const { events } = await client.eventList({ after: mints.length });
  expect(events).toMatchObject([
    {
      type: "claim.confirmed",
      data: {
        tokenMint: mints[0],
        tokenMints: mints,
        transactionHash: result.transactionHash,
      },
    },
  ]);
});

test("the SDK pays other wallets, alone and of all tokens, if the agent can pay for the claim", async () => {
  const { client, mints } = await agentWith(["PAYA", "PAYB"]);
  const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
  const wallets = [Keypair.generate().publicKey, Keypair.generate().publicKey] as const;
  const [vault, partner] = wallets.map(String) as [string, string];
  const to = [
    { address: vault, share: 80 },
    { address: partner, share: 20 },
  ];
  const held = () => Promise.all(wallets.map((wallet) => chain.getBalance(wallet)));
  const [first = ""] = mints;
  await expect(client.claim(first, { to })).rejects.toMatchObject({ code: "insufficient_sol" });
  await client.dev.airdrop({ sol: 1 });
  const claimed = await client.claim(first, { to });
  expect(claimed).toMatchObject({ claimedSOL: 0.01, gainedSOL: -0.000005, verified: true });
  expect(await held()).toEqual([8_000_000, 2_000_000]);
  for (const token of mints) await client.dev.trade({ tokenMint: token, side: "buy", sol: 1 });
  const [former = 0, latter = 0] = await held();
  const all = await client.claimAll({ to });
  expect(all.claimedSOL).toBe(0.03);
  expect(all.outcomes).toMatchObject([{ kind: "claimed" }, { kind: "claimed" }]);
  expect(await held()).toEqual([former + 24_000_000, latter + 6_000_000]);
  const { claims } = await client.claimHistoryPage();
  expect(claims[0]?.receivers?.map(({ address }) => address)).toEqual([vault, partner]);
  expect((await client.token(first)).claimedToAddress).toBe(vault);
});

test("the history of a claim of several tokens has what the chain paid of each, by kind", async () => {
  const { client, mints } = await agentWith(["KINDA", "KINDB"]);
  const [first = ""] = mints;
  await client.dev.airdrop({ sol: 1 });
  await client.dev.graduate({ tokenMint: first });
  await client.dev.trade({ tokenMint: first, side: "buy", sol: 2.000000011 });
  const open = (await client.claims()).claims.toReversed();
  expect(open.map(({ lpClaimableFees }) => lpClaimableFees > 0)).toEqual([true, false]);
  const { transactionHash } = await client.claimMany(mints);
  const { claims } = await client.claimHistoryPage();
  expect(claims).toMatchObject(
    open.map(({ tokenMint, dbcClaimableFees, lpClaimableFees }) => ({
      tokenMint,
      transactionHash,
      dbcClaimedLamports: String(solToLamports(dbcClaimableFees)),
      lpClaimedLamports: String(solToLamports(lpClaimableFees)),
    })),
  );
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
      tokenMints: [first],
      networkFeeLamports: 10_000n,
      rentLamports: 0n,
      createdAccounts: [],
      sponsor: {
        address: expect.any(String),
        repaidLamports: 2_049_280n,
        account: { address: expect.any(String), lamports: 2_039_280n },
      },
    },
  ]);
  // Now it can pay for itself.
  await client.claimMany([first, second]);
  expect(await balance()).toBe(0.00999e9 + 0.01e9 - 5_000);
});

/** A `fetch` that gives its own answer to signed claims of several tokens, which still arrive. */
function answering(code: ErrorCode): Partial<ClientOptions> {
  const send: FetchLike = async (url, init) => {
    const isSigned = typeof init.body === "string" && init.body.includes("signedTransaction");
    const answer = await fetch(url, init);
    if (!isSigned || !url.endsWith("/tokens/claims")) return answer;
    await answer.json();
    const { status } = errorCodes[code];
    return Response.json({ error: "The test's answer", code }, { status });
  };
  return { fetch: send, maxRetries: 0 };
}

test("claimAll does not say that nothing was there if a claim of several may have been paid", async () => {
  const { client } = await agentWith(["OPENA", "OPENB"], answering("claim_unsettled"));
  await client.dev.airdrop({ sol: 1 });
  const { outcomes } = await client.claimAll();
  expect(outcomes).toMatchObject([
    { kind: "failed", ticker: "OPENB", error: expect.any(ClaimUnsettledError) },
    { kind: "failed", ticker: "OPENA", error: expect.any(ClaimUnsettledError) },
  ]);
  expect((await client.claimHistoryPage()).claims).toHaveLength(2);
});
