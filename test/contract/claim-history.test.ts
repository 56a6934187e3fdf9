import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  ClaimHistorySchema,
  ClaimsReceiptSchema,
  PreparedClaimsSchema,
} from "@tokenctl/shared/contract/claim";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

let server: TestServer;
let agent: Agent;
let other: Agent;
let mints: readonly string[];
/** What each claim said that it paid, in the order of the claims. */
const receipts: { readonly transactionHash: string; readonly claimedSOL: number }[] = [];
let secondDay: string;

/** Lets the sandbox's trader buy, and claims the fees of it. */
async function earn(mint: string): Promise<void> {
  const trade = { tokenMint: mint, side: "buy", sol: 1.000000007 };
  expect((await agent.post("/dev/trade", trade)).status).toBe(200);
  const { transactionHash, claimedSOL } = await agent.claim(mint);
  receipts.push({ transactionHash, claimedSOL });
}

beforeAll(async () => {
  server = await startTestServer();
  agent = await Agent.signedIn(server);
  expect((await agent.post("/dev/airdrop", { sol: 1 })).status).toBe(200);
  const first = (await agent.launched("ONE")).tokenMint ?? "";
  await earn(first);
  await earn(first);
  server.clock.advance(DAY_MS);
  secondDay = new Date(server.clock.now()).toISOString();
  await agent.signIn();
  const second = (await agent.launched("TWO")).tokenMint ?? "";
  await earn(second);
  expect((await agent.post("/dev/graduate", { tokenMint: first })).status).toBe(200);
  await earn(first);
  mints = [first, second];
  other = await Agent.signedIn(server);
});
afterAll(() => server[Symbol.asyncDispose]());

async function history(query = "", of = agent) {
  const { status, body } = await of.get(`/api/v1/tokens/claims/history${query}`);
  expect(status).toBe(200);
  return expectShape(ClaimHistorySchema, body);
}

const hashes = async (query: string) =>
  (await history(query)).claims.map(({ transactionHash }) => transactionHash);
/** The hashes of the n-th claims, counted from 0. */
const hashesOf = (...indexes: number[]) =>
  indexes.map((n) => receipts[n]?.transactionHash ?? "none");

test("the history has each claim with its receipt, newest first", async () => {
  const { claims, nextCursor } = await history();
  expect(nextCursor).toBeUndefined();
  const shown = claims.map(({ transactionHash, claimedSOL }) => ({ transactionHash, claimedSOL }));
  expect(shown).toEqual(receipts.toReversed());
  expect(claims.map(({ ticker }) => ticker)).toEqual(["ONE", "TWO", "ONE", "ONE"]);
  expect(claims[0]?.tokenMint).toBe(mints[0] ?? "");
  for (const { claimedLamports, claimedSOL } of claims) {
    expect(lamportsToSol(BigInt(claimedLamports))).toBe(claimedSOL);
  }
});

test("the parts of each claim are what the chain paid of each kind", async () => {
  const { claims } = await history(`?token=${mints[0]}`);
  const sums = { dbc: 0n, lp: 0n };
  for (const claim of claims) {
    const [dbc, lp] = [claim.dbcClaimedLamports, claim.lpClaimedLamports].map((part) =>
      BigInt(part ?? "-1"),
    );
    expect((dbc ?? 0n) + (lp ?? 0n)).toBe(BigInt(claim.claimedLamports));
    sums.dbc += dbc ?? 0n;
    sums.lp += lp ?? 0n;
  }
  const fees = await agent.fees(mints[0] ?? "");
  expect(sums.lp).toBeGreaterThan(0n);
  expect(lamportsToSol(sums.dbc)).toBe(fees.dbcClaimedFees);
  expect(lamportsToSol(sums.lp)).toBe(fees.lpClaimedFees);
});

test("a claim of several tokens is an entry for each, with what the chain paid of each, also if it was sponsored", async () => {
  const poor = await Agent.signedIn(server);
  const tokens: string[] = [];
  for (const ticker of ["SEVERAL", "SEVERAL2"]) {
    server.clock.advance(DAY_MS);
    await poor.signIn();
    tokens.push((await poor.launched(ticker)).tokenMint ?? "");
  }
  for (const signedOut of [agent, other]) await signedOut.signIn();
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
    }
    const prepared = await poor.post("/api/v1/tokens/claims", { tokenMints: tokens });
    const { transaction, sponsored } = expectShape(PreparedClaimsSchema, prepared.body);
    expect(sponsored === true).toBe(isSponsored);
    const signedTransaction = isSponsored
      ? poor.signSponsored(transaction)
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

test("the history can be read of a token and of a time", async () => {
  expect(await hashes(`?token=${mints[1]}`)).toEqual(hashesOf(2));
  expect(await hashes(`?from=${secondDay}`)).toEqual(hashesOf(3, 2));
  expect(await hashes(`?to=${secondDay}`)).toEqual(hashesOf(1, 0));
  expect(await hashes(`?token=${mints[0]}&from=${secondDay}`)).toEqual(hashesOf(3));
  expect(await hashes("?from=2100-01-01&to=2101-01-01T09:30Z")).toEqual([]);
});

test("the history comes in pages that have each claim once", async () => {
  const first = await history("?limit=3");
  const second = await history(`?limit=3&cursor=${first.nextCursor}`);
  const paged = [...first.claims, ...second.claims].map((claim) => claim.transactionHash);
  expect(paged).toEqual(hashesOf(3, 2, 1, 0));
  expect(first.claims).toHaveLength(3);
  expect(second.nextCursor).toBeUndefined();
});

test("another agent's claims do not exist", async () => {
  expect(await history("", other)).toEqual({ claims: [] });
  const { status, body } = await other.get(`/api/v1/tokens/claims/history?token=${mints[0]}`);
  expect(status).toBe(404);
  expect(body).toEqual({ error: "Token not found", code: "token_not_found" });
});

test.each([
  ["from", "yesterday"],
  ["from", "2026-02-30"],
  ["to", "2026-01-01T09:30:00"],
  ["to", "2026-01-01T25:00Z"],
  ["to", ""],
  ["limit", "0"],
])("a history with %s=%j is refused, and the field is named", async (field, value) => {
  const { status, body } = await agent.get(`/api/v1/tokens/claims/history?${field}=${value}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: "validation_failed", details: [{ field }] });
});

test("a parameter that is given twice or is empty does no harm", async () => {
  for (const query of [`token=${mints[0]}&token=${mints[1]}`, "token="]) {
    const { status } = await agent.get(`/api/v1/tokens/claims/history?${query}`);
    expect([200, 404]).toContain(status);
  }
});
