import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import type { LaunchRequest } from "@tokenctl/shared/types";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { admin } from "../support/admin.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ LAUNCH_PAYER: "either", SIGN_WITHIN_SECONDS: "300" });
});
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;

/** A launch that an agent with SOL pays for. */
async function accepted(fields: Partial<LaunchRequest> = {}, sol = 1) {
  const agent = await Agent.signedIn(server);
  if (sol > 0) await agent.post("/dev/airdrop", { wallet: agent.wallet, sol });
  const ticker = `PAY${tickers++}`;
  const { status, body } = await agent.launch({ ticker, payer: "agent", ...fields });
  expect(status).toBe(200);
  const { eventId } = body as { eventId: string };
  const step = (json?: object) => agent.post(`/api/v1/tokens/launch/${eventId}/transaction`, json);
  return {
    agent,
    eventId,
    ticker,
    step,
    async check(fields: Partial<LaunchRequest>) {
      const request = { name: ticker, ticker: `${ticker}X`, payer: "agent", ...fields };
      const { body } = await agent.post("/api/v1/tokens/launch/check", request);
      return expectShape(LaunchCheckSchema, body).payment;
    },
    async prepare() {
      const answer = await step();
      expect(answer).toMatchObject({ status: 200 });
      return expectShape(PreparedLaunchSchema, answer.body);
    },
    submit: (signedTransaction: string) => step({ signedTransaction }),
    balance: async () => {
      const { body } = await agent.get(`/api/v1/wallet?wallet=${agent.wallet}`);
      return (body as { balanceSOL: number }).balanceSOL;
    },
  };
}

type Launch = Awaited<ReturnType<typeof accepted>>;

function signed({ agent }: Launch, transaction: string, change = (_: Transaction) => {}): string {
  const read = Transaction.from(Buffer.from(transaction, "base64"));
  change(read);
  read.partialSign(agent.keypair);
  return read.serialize({ requireAllSignatures: false }).toString("base64");
}

describe("a launch that its agent pays for", () => {
  test("waits for the signature, ends on chain, and costs the agent what step 1 says", async () => {
    const launch = await accepted();
    expect(await launch.agent.status(launch.eventId)).toMatchObject({
      status: "pending",
      waitingFor: "agent_signature",
      payer: "agent",
    });
    const { transaction, costSOL, tokenMint } = await launch.prepare();
    const { rent, networkFee, creationFee, firstBuy, total } = costSOL;
    expect(await launch.check({})).toMatchObject({
      costSOL: { rent, creationFee, firstBuy },
      balanceSOL: 1,
      canPay: true,
    });
    const dear = await launch.check({ firstBuySOL: 1 });
    expect(dear).toMatchObject({ costSOL: { firstBuy: 1 }, canPay: false });
    expect(rent + networkFee + creationFee + firstBuy).toBeCloseTo(total, 9);
    expect((await launch.submit(signed(launch, transaction))).status).toBe(200);
    const ended = await launch.agent.untilEnded(launch.eventId);
    const paid = { payer: "agent", costSOL: total };
    expect(ended).toMatchObject({ status: "success", tokenMint, ...paid });
    expect(await launch.balance()).toBeCloseTo(1 - total, 9);
    const { body } = await launch.agent.get("/api/v1/events?after=0");
    const { events } = expectShape(AgentEventListSchema, body);
    expect(events).toMatchObject([{ type: "launch.succeeded", data: paid }]);
  });

  test("buys in the same transaction if its agent asks for that", async () => {
    const launch = await accepted({ firstBuySOL: 0.5, firstBuyMinTokens: "1000" });
    const { transaction, costSOL } = await launch.prepare();
    expect(costSOL.firstBuy).toBe(0.5);
    await launch.submit(signed(launch, transaction));
    expect(await launch.agent.untilEnded(launch.eventId)).toMatchObject({ status: "success" });
    expect(await launch.balance()).toBeCloseTo(1 - costSOL.total, 9);
  });

  test("takes the first of two signatures, and answers a repetition the same", async () => {
    const launch = await accepted();
    const [one, other] = [await launch.prepare(), await launch.prepare()];
    const first = signed(launch, one.transaction);
    const answers = await Promise.all([
      launch.submit(first),
      launch.submit(first),
      launch.submit(signed(launch, other.transaction)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 409]);
    expect(await launch.agent.untilEnded(launch.eventId)).toMatchObject({ status: "success" });
    // The answer may have been lost while the launch went on.
    expect((await launch.submit(first)).status).toBe(200);
  });

  test("ends failed if nothing is signed in time, and frees its ticker at once", async () => {
    const launch = await accepted();
    await server.clock.advance(301_000);
    const ended = await launch.agent.untilEnded(launch.eventId);
    expect(ended).toMatchObject({ status: "failed", error: "Its agent did not sign it in time" });
    const { body } = await launch.agent.get("/api/v1/events?after=0");
    const [event] = expectShape(AgentEventListSchema, body).events;
    expect([event?.type, event?.data.payer, event?.data.costSOL]).toEqual([
      "launch.failed",
      "agent",
      undefined,
    ]);
    expect((await launch.step()).body).toMatchObject({ code: "not_signable" });
    const other = await Agent.signedIn(server);
    expect((await other.launch({ ticker: launch.ticker })).status).toBe(200);
  });

  test("does not hold up the agent's other launches", async () => {
    const { agent } = await accepted();
    const launched = await agent.launched(`OTHER${tickers++}`, { payer: "operator" });
    expect(launched).toMatchObject({ status: "success" });
    const { body } = await agent.get("/api/v1/events?after=0");
    for (const one of [launched, expectShape(AgentEventListSchema, body).events[0]?.data ?? {}]) {
      expect(Object.keys(one)).not.toContain("payer");
      expect(Object.keys(one)).not.toContain("costSOL");
    }
  });

  test("is signed once more after its transaction expired, for the same token", async () => {
    const launch = await accepted();
    const { transaction, tokenMint } = await launch.prepare();
    // The blockhash is older than 150 blocks of 400 ms when the agent signs at last.
    await server.clock.advance(90_000);
    await launch.submit(signed(launch, transaction));
    const waits = async () => (await launch.agent.status(launch.eventId)).waitingFor;
    while ((await waits()) !== "agent_signature") await new Promise(setImmediate);
    const again = await launch.prepare();
    expect(again.tokenMint).toBe(tokenMint);
    await launch.submit(signed(launch, again.transaction));
    expect(await launch.agent.untilEnded(launch.eventId)).toMatchObject({
      status: "success",
      tokenMint,
    });
  });

  test("tells a wallet that cannot pay what it needs, and waits until it can", async () => {
    const launch = await accepted({}, 0);
    const { status, body } = await launch.step();
    expect([status, (body as { code: string }).code]).toEqual([409, "launch_unaffordable"]);
    const { requiredSOL } = body as { requiredSOL: number };
    await launch.agent.post("/dev/airdrop", {
      wallet: launch.agent.wallet,
      sol: requiredSOL,
    });
    await launch.submit(signed(launch, (await launch.prepare()).transaction));
    expect(await launch.agent.untilEnded(launch.eventId)).toMatchObject({ status: "success" });
  });

  test("refuses any other transaction, and signs nothing of it", async () => {
    const launch = await accepted();
    const { transaction } = await launch.prepare();
    const stranger = Keypair.generate();
    const { publicKey } = launch.agent.keypair;
    const transfer = SystemProgram.transfer({
      fromPubkey: publicKey,
      toPubkey: stranger.publicKey,
      lamports: 1,
    });
    const forgeries = [
      signed(launch, transaction, (read) => void read.add(transfer)),
      signed(launch, transaction, (read) => void read.instructions.pop()),
      signed(launch, transaction, (read) => void read.instructions.reverse()),
      // Another amount of rent for the first account that it creates.
      signed(launch, transaction, (read) => {
        const create = read.instructions[2];
        if (create) create.data = Buffer.from(create.data.with(4, (create.data[4] ?? 0) ^ 1));
      }),
      // Not signed by the agent.
      transaction,
    ];
    for (const forgery of forgeries) {
      expect((await launch.submit(forgery)).body).toMatchObject({ code: "launch_mismatch" });
    }
    const other = await accepted();
    const foreign = signed(other, (await other.prepare()).transaction);
    expect((await launch.submit(foreign)).body).toMatchObject({ code: "launch_mismatch" });
    expect(await launch.agent.status(launch.eventId)).toMatchObject({
      waitingFor: "agent_signature",
    });
  });

  test("cannot be signed by another agent, or if the operator pays", async () => {
    const launch = await accepted();
    const stranger = await Agent.signedIn(server);
    const path = `/api/v1/tokens/launch/${launch.eventId}/transaction`;
    expect((await stranger.post(path)).body).toMatchObject({ code: "launch_not_found" });
    const { body } = await stranger.launch({ ticker: `OPER${tickers++}` });
    const { eventId } = body as { eventId: string };
    const own = `/api/v1/tokens/launch/${eventId}/transaction`;
    expect((await stranger.post(own)).body).toMatchObject({ code: "not_signable" });
  });

  test("can be cancelled while it waits, and retried", async () => {
    const launch = await accepted();
    const path = `/api/v1/tokens/launch/${launch.eventId}`;
    expect((await launch.agent.post(`${path}/cancel`)).status).toBe(200);
    expect((await launch.step()).body).toMatchObject({ code: "not_signable" });
    expect((await launch.agent.post(`${path}/retry`)).status).toBe(200);
    await launch.submit(signed(launch, (await launch.prepare()).transaction));
    expect(await launch.agent.untilEnded(launch.eventId)).toMatchObject({ status: "success" });
  });

  test("is refused by a service that does not offer it, and a first buy by one that pays", async () => {
    await using operatorPays = await startTestServer({ LAUNCH_PAYER: "operator" });
    const agent = await Agent.signedIn(operatorPays);
    const refused = await agent.launch({ ticker: "PAID", payer: "agent" });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: "payer" }] } });
    const { status, body } = await agent.launch({ ticker: "PAID", firstBuySOL: 1 });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: "firstBuySOL" }] });
  });

  test("is signed once by a client that repeats it under one key, and stays the same launch", async () => {
    const keypair = Keypair.generate();
    const funder = await Agent.signedIn(server);
    await funder.post("/dev/airdrop", { wallet: keypair.publicKey.toBase58(), sol: 1 });
    const signer = keypairSigner(keypair.secretKey);
    const client = new TokenctlClient({ apiUrl: server.url, signer });
    const request = { name: "Again", ticker: `PAY${tickers++}`, payer: "agent" } as const;
    const launch = () => client.launch(request, { idempotencyKey: "again" });
    const { eventId } = await launch();
    expect(await client.waitForLaunch(eventId)).toMatchObject({ status: "success" });
    expect(await launch()).toMatchObject({ eventId });
  });

  test("is not signed while its agent's next one of the hour has to wait", async () => {
    const env = { LAUNCH_PAYER: "either", MAX_LAUNCHES_PER_HOUR: "2", SIGN_WITHIN_SECONDS: "3600" };
    await using limited = await startTestServer(env, {}, Date.parse("2026-03-01T23:50:00Z"));
    const agent = await Agent.signedIn(limited);
    await agent.post("/dev/airdrop", { sol: 1 });
    expect(await agent.launched("FIRST")).toMatchObject({ status: "success" });
    await limited.clock.advance(20 * 60_000);
    await agent.signIn();
    const { body } = await agent.launch({ ticker: "SECOND", payer: "agent" });
    const { eventId } = body as { eventId: string };
    const path = `/api/v1/tokens/launch/${eventId}/transaction`;
    const early = await agent.post(path);
    expect(early).toMatchObject({ status: 429, body: { code: "launch_rate_limit" } });
    const wait = Number(early.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(35 * 60);
    await limited.clock.advance(wait * 1000);
    await agent.signIn();
    const prepared = await agent.post(path);
    const { transaction } = expectShape(PreparedLaunchSchema, prepared.body);
    const read = Transaction.from(Buffer.from(transaction, "base64"));
    read.partialSign(agent.keypair);
    const signedTransaction = read.serialize({ requireAllSignatures: false }).toString("base64");
    expect((await agent.post(path, { signedTransaction })).status).toBe(200);
    expect(await agent.untilEnded(eventId)).toMatchObject({ status: "success" });
  });

  test("is approved once, however long that takes", async () => {
    const keypair = Keypair.generate();
    const funder = await Agent.signedIn(server);
    await funder.post("/dev/airdrop", { wallet: keypair.publicKey.toBase58(), sol: 1 });
    const signer = keypairSigner(keypair.secretKey);
    const client = new TokenctlClient({ apiUrl: server.url, signer });
    const request = { name: "Slow", ticker: `PAY${tickers++}`, payer: "agent" } as const;
    const elapsed = performance.now.bind(performance);
    let [asked, later] = [0, 0];
    using _clock = spyOn(performance, "now").mockImplementation(() => elapsed() + later);
    const { eventId } = await client.launch(request, {
      async approve() {
        asked++;
        await server.clock.advance(90_000);
        later = 90_000;
      },
    });
    expect(await client.waitForLaunch(eventId)).toMatchObject({ status: "success" });
    expect(asked).toBe(1);
  });
});

describe("where agents pay for all launches", () => {
  let agentsPay: TestServer;
  beforeAll(async () => {
    agentsPay = await startTestServer({ LAUNCH_PAYER: "agent", SIGN_WITHIN_SECONDS: "60" });
  });
  afterAll(() => agentsPay[Symbol.asyncDispose]());

  test("a launch that does not say so is refused, as its client may not know", async () => {
    const agent = await Agent.signedIn(agentsPay);
    const details = [{ field: "payer", message: "must be agent at this service" }];
    const unpaid = { ticker: "UNPAID" } as const;
    for (const request of [unpaid, { ...unpaid, payer: "operator" } as const]) {
      expect(await agent.launch(request)).toMatchObject({
        status: 400,
        body: { code: "validation_failed", details },
      });
    }
  });

  test("one that buys for another amount is another request under the same key", async () => {
    const agent = await Agent.signedIn(agentsPay);
    const key = { "idempotency-key": "one" };
    const buys = (firstBuySOL: number) => {
      const request = { name: "Buys", ticker: "BUYS", payer: "agent", firstBuySOL };
      return agent.post("/api/v1/tokens/launch", request, key);
    };
    expect((await buys(1)).status).toBe(200);
    expect((await buys(1)).status).toBe(200);
    expect((await buys(2)).body).toMatchObject({ code: "idempotency_mismatch" });
  });

  test("one that the operator puts back in the queue has as long to be signed as another", async () => {
    const agent = await Agent.signedIn(agentsPay);
    const { body } = await agent.launch({ ticker: "LATE", payer: "agent" });
    const { eventId } = body as { eventId: string };
    const ends = async () => {
      agentsPay.clock.advance(60_000);
      expect(await agent.untilEnded(eventId)).toMatchObject({ status: "failed" });
    };
    await ends();
    await admin(agentsPay.config.dataDir, "retry", eventId);
    expect(await agent.status(eventId)).toMatchObject({ waitingFor: "agent_signature" });
    await ends();
  });
});
