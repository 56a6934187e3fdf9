import { expect, test } from "bun:test";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { Agent, expectShape } from "../support/agent.ts";
import { startHere, startTestServer } from "../support/test-server.ts";

test("a launch that its agent pays for waits for the signature, and costs what step 1 says", async () => {
  await using server = await startTestServer({ LAUNCH_PAYER: "either" });
  const agent = await Agent.signedIn(server);
  await agent.post("/dev/airdrop", { wallet: agent.wallet, sol: 1 });
  const eventId = await agent.accepted("PAY", { payer: "agent" });
  expect(await agent.status(eventId)).toMatchObject({
    status: "pending",
    waitingFor: "agent_signature",
    payer: "agent",
  });
  const step = (json?: object) => agent.post(`/api/v1/tokens/launch/${eventId}/transaction`, json);
  const { transaction, costSOL, tokenMint } = expectShape(
    PreparedLaunchSchema,
    (await step()).body,
  );
  const { rent, networkFee, creationFee, firstBuy, total } = costSOL;
  expect(rent + networkFee + creationFee + firstBuy).toBeCloseTo(total, 9);
  const check = async (fields: object) => {
    const request = { name: "Pay", ticker: "PAYX", payer: "agent", ...fields };
    const { body } = await agent.post("/api/v1/tokens/launch/check", request);
    return expectShape(LaunchCheckSchema, body).payment;
  };
  expect(await check({})).toMatchObject({
    costSOL: { rent, creationFee, firstBuy },
    balanceSOL: 1,
    canPay: true,
  });
  const dear = await check({ firstBuySOL: 1 });
  expect(dear).toMatchObject({ costSOL: { firstBuy: 1 }, canPay: false });

  const signed = { signedTransaction: agent.signBeside(transaction) };
  expect((await step(signed)).status).toBe(200);
  const paid = { payer: "agent", costSOL: total };
  expect(await agent.untilEnded(eventId)).toMatchObject({ status: "success", tokenMint, ...paid });
  const wallet = await agent.get(`/api/v1/wallet?wallet=${agent.wallet}`);
  expect((wallet.body as { balanceSOL: number }).balanceSOL).toBeCloseTo(1 - total, 9);
  const { events } = expectShape(
    AgentEventListSchema,
    (await agent.get("/api/v1/events?after=0")).body,
  );
  expect(events).toMatchObject([{ type: "launch.succeeded", data: paid }]);
});

test("a launch ends at its agent's deadline also once the service pays for all launches", async () => {
  await using server = await startTestServer({ LAUNCH_PAYER: "either" });
  const { clock, config } = server;
  const agent = await Agent.signedIn(server);
  const eventId = await agent.accepted("PAY", { payer: "agent" });
  await server.stop();
  const env = { PORT: "0", DATA_DIR: config.dataDir, LAUNCH_PAYER: "operator" };
  await using later = await startHere(env, { clock });
  agent.server = later;
  clock.advance(300_000);
  expect(await agent.untilEnded(eventId)).toMatchObject({ status: "failed", payer: "agent" });
});
