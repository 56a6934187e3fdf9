import { afterAll, expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { ClaimHistorySchema } from "@tokenctl/shared/contract/claim";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { HandOverReceiptSchema, PreparedHandOverSchema } from "@tokenctl/shared/contract/hand-over";
import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

let launched = 0;

const server = await startTestServer();
const agent = await Agent.signedIn(server);
const newCreator = await Agent.signedIn(server);
for (const wallet of [agent.wallet, newCreator.wallet]) {
  await agent.post("/dev/airdrop", { wallet, sol: 1 });
}
afterAll(() => server?.[Symbol.asyncDispose]());

async function tokenWithFees(): Promise<string> {
  server.clock.advance(DAY_MS);
  await Promise.all([agent.signIn(), newCreator.signIn()]);
  const { tokenMint } = await agent.launched(`HAND${++launched}`);
  if (tokenMint == null) throw new Error("the launch failed");
  await trade(tokenMint);
  return tokenMint;
}

const trade = (tokenMint: string) => agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
const pathOf = (mint: string) => `/api/v1/tokens/hand-overs/${mint}`;
const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];

async function prepare(mint: string, from = agent, to = newCreator.wallet) {
  const { status, body } = await from.post(pathOf(mint), { to });
  expect(status).toBe(200);
  return expectShape(PreparedHandOverSchema, body);
}

const submit = (mint: string, transaction: string, from = agent) =>
  from.post(pathOf(mint), { signedTransaction: from.signClaim(transaction) });

async function eventsOf(who: Agent) {
  const { body } = await who.get("/api/v1/events?limit=1000");
  return expectShape(AgentEventListSchema, body).events;
}

async function hasToken(who: Agent, mint: string, query = "?received=true"): Promise<boolean> {
  const { body } = await who.get(`/api/v1/tokens/${query}`);
  return expectShape(TokenListSchema, body).tokens.some(({ tokenMint }) => tokenMint === mint);
}

test("a token goes over in two steps, and its receiver sees it once it has accepted it", async () => {
  const mint = await tokenWithFees();
  const prepared = await prepare(mint);
  expect(prepared).toMatchObject({ networkFeeSOL: 0.000005, rentSOL: 0 });
  const first = await submit(mint, prepared.transaction);
  const { to, transactionHash } = expectShape(HandOverReceiptSchema, first.body);
  expect(to).toBe(newCreator.wallet);
  expect((await submit(mint, prepared.transaction)).body).toEqual(first.body);

  expect((await eventsOf(agent)).at(-1)).toMatchObject({
    type: "token.handed_over",
    data: { tokenMint: mint, transactionHash },
  });
  expect(await hasToken(agent, mint, "")).toBe(true);
  const known = await fetch(`${server.url}/public/tokens/${mint}`);
  expect(await known.json()).toMatchObject({ creator: agent.wallet, holder: newCreator.wallet });
  // No cache shows the former holder for long.
  expect(known.headers.get("cache-control")).toBe("public, max-age=10");
  const { body: former } = await agent.get(`/api/v1/tokens/${mint}`);
  expect(expectShape(TokenSchema, former).holder).toBe(newCreator.wallet);
  expect(await hasToken(newCreator, mint)).toBe(false);
  const stranger = await Agent.signedIn(server);
  expect(codeOf(await stranger.get(`/api/v1/tokens/${mint}`))).toEqual([404, "token_not_found"]);
  for (const who of [stranger, agent]) {
    const answer = await who.post(`/api/v1/tokens/received/${mint}`);
    expect(codeOf(answer)).toEqual([404, "token_not_found"]);
  }
  for (let times = 0; times < 2; times++) {
    const { status, body } = await newCreator.post(`/api/v1/tokens/received/${mint}`);
    expect(status).toBe(200);
    const token = expectShape(TokenSchema, body);
    expect([token.launchedBy, token.holder]).toEqual([agent.wallet, undefined]);
  }
  expect(await hasToken(newCreator, mint)).toBe(true);
  expect(await hasToken(newCreator, mint, "")).toBe(false);
  expect((await eventsOf(newCreator)).length).toBe(0);
});

test("a claim and a hand-over that are both signed pay one wallet alone, whichever lands first", async () => {
  for (const isClaimFirst of [true, false]) {
    const mint = await tokenWithFees();
    const { dbcClaimableFees } = await agent.fees(mint);
    const claim = agent.signClaim((await agent.prepareClaim(mint)).transaction);
    const { transaction } = await prepare(mint);
    if (isClaimFirst) {
      expect((await agent.submitClaim(mint, claim)).body).toMatchObject({
        claimedSOL: dbcClaimableFees,
      });
      expect((await submit(mint, transaction)).status).toBe(200);
      expect(codeOf(await newCreator.post(`/api/v1/tokens/claims/${mint}`))).toEqual([
        409,
        "no_fees_to_claim",
      ]);
    } else {
      expect((await submit(mint, transaction)).status).toBe(200);
      expect(codeOf(await agent.submitClaim(mint, claim))).toEqual([409, "creator_changed"]);
      expect((await newCreator.claim(mint)).claimedSOL).toBe(dbcClaimableFees);
    }
    const paid = await Promise.all(
      [agent, newCreator].map(async (who) => {
        const { body } = await who.get(`/api/v1/tokens/claims/history?token=${mint}`);
        return "claims" in (body as object) ? expectShape(ClaimHistorySchema, body).claims : [];
      }),
    );
    expect(paid.flat().map(({ claimedSOL }) => claimedSOL)).toEqual([dbcClaimableFees]);
  }
});

test("what is no hand-over of the agent is refused", async () => {
  const mint = await tokenWithFees();
  const path = pathOf(mint);
  for (const to of [undefined, "", "no address", agent.wallet]) {
    expect(codeOf(await agent.post(path, { to }))).toEqual([400, "validation_failed"]);
  }
  const to = newCreator.wallet;
  expect(codeOf(await newCreator.post(path, { to: agent.wallet }))).toEqual([
    404,
    "token_not_found",
  ]);
  const vault = PublicKey.findProgramAddressSync([Buffer.from("x")], new PublicKey(mint))[0];
  for (const receiver of [vault.toBase58(), mint, "11111111111111111111111111111111"]) {
    const answer = await agent.post(path, { to: receiver });
    expect(codeOf(answer)).toEqual([400, "validation_failed"]);
    const details = [{ field: "to", message: "must be the address of a wallet" }];
    expect(answer.body).toMatchObject({ details });
  }
  expect(codeOf(await submit(mint, (await prepare(mint, agent, to)).transaction))).toEqual([
    200,
    undefined,
  ]);
  expect(codeOf(await agent.post(path, { to }))).toEqual([409, "creator_changed"]);
});
