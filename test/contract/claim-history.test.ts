import { afterAll, expect, test } from "bun:test";
import {
  ClaimHistorySchema,
  ClaimsReceiptSchema,
  PreparedClaimsSchema,
} from "@tokenctl/shared/contract/claim";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

const server = await startTestServer();
afterAll(() => server[Symbol.asyncDispose]());

async function history(query: string, of: Agent) {
  const { status, body } = await of.get(`/api/v1/tokens/claims/history${query}`);
  expect(status).toBe(200);
  return expectShape(ClaimHistorySchema, body);
}

test("a claim of several tokens is an entry for each, with what the chain paid of each, also if it was sponsored", async () => {
  const poor = await Agent.signedIn(server);
  const tokens: string[] = [];
  for (const ticker of ["SEVERAL", "SEVERAL2"]) {
    server.clock.advance(DAY_MS);
    await poor.signIn();
    tokens.push((await poor.launched(ticker)).tokenMint ?? "");
  }
  const [first, second] = tokens;
  const sums = new Map<string, number>();
  for (const isSponsored of [true, false]) {
    for (const [index, tokenMint] of tokens.entries()) {
      const trade = { tokenMint, side: "buy", sol: [1.000000007, 2.000000011][index] };
      expect((await poor.post("/dev/trade", trade)).status).toBe(200);
    }
    if (!isSponsored) {
      expect((await poor.post("/dev/graduate", { tokenMint: first })).status).toBe(200);
      const trade = { tokenMint: first, side: "buy", sol: 2 };
      expect((await poor.post("/dev/trade", trade)).status).toBe(200);
      const ofFirst = poor.signClaim((await poor.prepareClaim(first ?? "")).transaction);
      expect(await poor.submitClaim(second ?? "", ofFirst)).toMatchObject({
        status: 400,
        body: { code: "claim_mismatch" },
      });
    }
    const prepared = await poor.post("/api/v1/tokens/claims", { tokenMints: tokens });
    const { transaction, sponsored } = expectShape(PreparedClaimsSchema, prepared.body);
    expect(sponsored === true).toBe(isSponsored);
    const signedTransaction = isSponsored
      ? poor.signBeside(transaction)
      : poor.signClaim(transaction);
    const sent = await poor.post("/api/v1/tokens/claims", {
      tokenMints: tokens,
      signedTransaction,
    });
    const { transactionHash, claimedSOL } = expectShape(ClaimsReceiptSchema, sent.body);
    sums.set(transactionHash, claimedSOL);
  }
  const { claims } = await history("", poor);
  expect(claims.map(({ tokenMint }) => tokenMint)).toEqual([...tokens, ...tokens]);
  for (const [hash, claimedSOL] of sums) {
    const entries = claims.filter(({ transactionHash }) => transactionHash === hash);
    const sum = entries.reduce((all, { claimedLamports }) => all + BigInt(claimedLamports), 0n);
    expect(lamportsToSol(sum)).toBe(claimedSOL);
  }
  for (const mint of tokens) {
    const fees = await poor.fees(mint);
    const ofToken = (await history(`?token=${mint}`, poor)).claims;
    const sum = (kind: "dbcClaimedLamports" | "lpClaimedLamports") =>
      lamportsToSol(ofToken.reduce((all, claim) => all + BigInt(claim[kind] ?? -1), 0n));
    expect(sum("dbcClaimedLamports")).toBe(fees.dbcClaimedFees);
    expect(sum("lpClaimedLamports")).toBe(fees.lpClaimedFees);
    expect(fees.lpClaimedFees > 0).toBe(mint !== second);
  }
  // Each entry is on one page.
  const pages = [await history("?limit=3", poor)];
  pages.push(await history(`?limit=3&cursor=${pages[0]?.nextCursor}`, poor));
  expect(pages.flatMap((page) => page.claims)).toEqual(claims);
});
