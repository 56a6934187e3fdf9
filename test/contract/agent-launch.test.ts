import { afterAll, describe, expect, test } from "bun:test";
import type { Transaction } from "@solana/web3.js";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import type { LaunchRequest } from "@tokenctl/shared/types";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer({ LAUNCH_PAYER: "either", SIGN_WITHIN_SECONDS: "300" });
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;

/** A launch that an agent with SOL pays for. */
async function accepted(fields: Partial<LaunchRequest> = {}, sol = 1) {
  const agent = await Agent.signedIn(server);
  if (sol > 0) await agent.post("/dev/airdrop", { wallet: agent.wallet, sol });
  const ticker = `PAY${tickers++}`;
  const eventId = await agent.accepted(ticker, { payer: "agent", ...fields });
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

function signed({ agent }: Launch, transaction: string, change?: (read: Transaction) => void) {
  return agent.signBeside(transaction, change);
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

  test("is refused by a service that does not offer it, and a first buy by one that pays", async () => {
    await using operatorPays = await startTestServer({ LAUNCH_PAYER: "operator" });
    const agent = await Agent.signedIn(operatorPays);
    const refused = await agent.launch({ ticker: "PAID", payer: "agent" });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: "payer" }] } });
    const { status, body } = await agent.launch({ ticker: "PAID", firstBuySOL: 1 });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: "firstBuySOL" }] });
  });
});

test("where agents pay for all launches, one that does not say so is refused, as its client may not know", async () => {
  await using agentsPay = await startTestServer({ LAUNCH_PAYER: "agent" });
  const agent = await Agent.signedIn(agentsPay);
  const details = [{ field: "payer", message: "must be agent at this service" }];
  for (const payer of [undefined, "operator"] as const) {
    const request = { ticker: "UNPAID", ...(payer && { payer }) };
    expect(await agent.launch(request)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details },
    });
  }
});
