import { afterAll, expect, test } from "bun:test";
import {
  WebhookDeliveryListSchema,
  WebhookListSchema,
  WebhookWithSecretSchema,
} from "@tokenctl/shared/contract/webhook";
import type { NewWebhookRequest } from "@tokenctl/shared/types";
import {
  hasPublicKey,
  hasSecret,
  Receiver,
} from "../../server/src/modules/webhooks/testing/receiver.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

// Receivers compare the time of a message with this machine's.
const server = await startTestServer({ MAX_LAUNCHES_PER_AGENT: "0" }, {}, Date.now());
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;
const launch = (agent: Agent) => agent.launched(`W${++tickers}`);

async function add(agent: Agent, request: NewWebhookRequest) {
  const { status, body } = await agent.post("/api/v1/webhooks", request);
  expect(status).toBe(200);
  return expectShape(WebhookWithSecretSchema, body);
}

async function list(agent: Agent) {
  return expectShape(WebhookListSchema, (await agent.get("/api/v1/webhooks")).body).webhooks;
}

async function deliveries(agent: Agent, id: string, query = "") {
  const { body } = await agent.get(`/api/v1/webhooks/${id}/deliveries${query}`);
  return expectShape(WebhookDeliveryListSchema, body);
}

/** Waits until no delivery is pending. */
async function settled(agent: Agent, id: string): Promise<void> {
  for (;;) {
    const { deliveries: all } = await deliveries(agent, id);
    if (all.every(({ status }) => status !== "pending")) return;
    await Bun.sleep(5);
  }
}

test("a receiver gets the events of its agent as the list has them, and none of another's", async () => {
  await using receiver = new Receiver();
  await using theirs = new Receiver();
  const agent = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const { secret, ...added } = await add(agent, { url: receiver.url });
  await add(other, { url: theirs.url });
  await launch(agent);
  await launch(other);
  await launch(agent);
  await receiver.got(2);
  await theirs.got(1);
  const { body } = await agent.get("/api/v1/events");
  expect(receiver.messages.map(({ event }) => event)).toEqual((body as { events: [] }).events);
  for (const message of receiver.messages) {
    expect([hasSecret(message, secret), hasPublicKey(message, added.publicKey)]).toEqual([
      true,
      true,
    ]);
    expect(message.id).toBe(`${agent.wallet}-${message.event.id}`);
  }
  expect(theirs.events).toEqual([1]);
  await settled(agent, added.id);
  expect(await list(agent)).toEqual([{ ...added, cursor: 2 }]);
});

test("a webhook of another agent does not exist", async () => {
  await using receiver = new Receiver();
  const agent = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const { id } = await add(agent, { url: receiver.url });
  const path = `/api/v1/webhooks/${id}`;
  for (const answer of [
    await other.delete(path),
    await other.get(`${path}/deliveries`),
    await other.post(`${path}/test`),
    await other.post(`${path}/replay`, { after: 0 }),
    await other.post(`${path}/replay`, { event: 1 }),
    await other.post(`${path}/rotate`),
    await agent.delete("/api/v1/webhooks/x"),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { code: "webhook_not_found" } });
  }
  expect(await list(other)).toEqual([]);
  expect(await list(agent)).toHaveLength(1);
  expect(await agent.delete(path)).toMatchObject({
    status: 200,
    body: { success: true, url: receiver.url },
  });
  expect(await list(agent)).toEqual([]);
});
