import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AgentEventListSchema, FeeThresholdSchema } from "@tokenctl/shared/contract/event";
import {
  WebhookDeliveryListSchema,
  WebhookListSchema,
  WebhookWithSecretSchema,
} from "@tokenctl/shared/contract/webhook";
import type { AgentEvent } from "@tokenctl/shared/types";
import { hasSecret, Receiver } from "../../server/src/modules/webhooks/testing/receiver.ts";
import { Agent, type Answer, expectShape, send } from "../support/agent.ts";
import { openStream } from "../support/event-stream.ts";
import { tempDir } from "../support/processes.ts";
import { startHere, startTestServer } from "../support/test-server.ts";

// Receivers compare the time of a message with this machine's.
const server = await startTestServer({}, {}, Date.now());
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;
const ticker = () => `E${++tickers}`;
const typesOf = (events: readonly AgentEvent[]) => events.map(({ id, type }) => `${id} ${type}`);

async function list(agent: Agent, query = "") {
  const { status, body } = await agent.get(`/api/v1/events${query}`);
  expect(status).toBe(200);
  return expectShape(AgentEventListSchema, body);
}

async function busyAgent(): Promise<Agent> {
  const agent = await Agent.signedIn(server);
  const { tokenMint } = await agent.launched(ticker());
  await agent.launched(ticker());
  await agent.post("/dev/airdrop", { wallet: agent.wallet, sol: 1 });
  await agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
  await agent.claim(tokenMint ?? "");
  return agent;
}

test("an agent lists what happened to its launches and claims, and nothing of another's", async () => {
  const agent = await busyAgent();
  const other = await Agent.signedIn(server);
  const launch = await other.launched(ticker());
  const { events, nextAfter } = await list(agent);
  expect(typesOf(events)).toEqual([
    ...["1 launch.succeeded", "2 launch.rate_limited", "3 claim.confirmed"],
  ]);
  expect(nextAfter).toBe(3);
  const [first, second, third] = events;
  expect(first?.data.tokenMint).toEqual(third?.data.tokenMint ?? "");
  expect(second?.data).toMatchObject({ tokenMint: null, transactionHash: null });
  expect(await list(other)).toMatchObject({
    events: [{ id: 1, data: { eventId: launch.eventId, ticker: launch.ticker } }],
    nextAfter: 1,
  });
});

test("a launch's status with a wait is answered once it has ended", async () => {
  const agent = await Agent.signedIn(server);
  const path = "/api/v1/tokens/launch/status";
  const eventId = await agent.accepted(ticker());
  const begun = performance.now();
  const { status, body } = await agent.get(`${path}/${eventId}?wait=55`);
  expect([status, body]).toMatchObject([200, { eventId, status: "success" }]);
  expect((await agent.get(`${path}/${eventId.toUpperCase()}?wait=55`)).body).toEqual(body);
  expect((await agent.get(`${path}/${crypto.randomUUID()}?wait=55`)).status).toBe(404);
  expect(performance.now() - begun).toBeLessThan(50_000);
  for (const wait of ["-1", "56", "x", ""]) {
    const refused = await agent.get(`${path}/${eventId}?wait=${wait}`);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: "wait" }] } });
  }
});

test("a stream brings the events that there are, then each as it happens, and no other agent's", async () => {
  const agent = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const { eventId } = await agent.launched(ticker());
  await using stream = await openStream(agent);
  expect(await stream.next()).toMatchObject({ event: "stream.open", id: "0" });
  expect(await stream.nextEvent()).toMatchObject({ id: 1, data: { eventId } });
  await other.launched(ticker());
  await agent.launched(ticker());
  expect(await stream.next()).toMatchObject({ id: "2", event: "launch.rate_limited" });
});

test("a stream goes on after the Last-Event-ID, whatever the address says", async () => {
  const agent = await busyAgent();
  await using stream = await openStream(agent, { after: "latest", lastEventId: "2" });
  expect(await stream.next()).toMatchObject({ event: "stream.open", id: "2" });
  expect(await stream.nextEvent()).toMatchObject({ id: 3, type: "claim.confirmed" });
});

describe("whatever cursor an agent sends, it reads no event of another", () => {
  let victim: Agent;
  let attacker: Agent;
  beforeAll(async () => {
    victim = await busyAgent();
    attacker = await Agent.signedIn(server);
    await attacker.launched(ticker());
  });
  const ask = async (cursor: string) => {
    const token = attacker.token;
    const headers = { "last-event-id": cursor };
    const query = new URLSearchParams({ after: cursor });
    return [
      ["Last-Event-ID", await send(server.url, "GET", "/api/v1/events/stream", { token, headers })],
      ["after", await send(server.url, "GET", `/api/v1/events/stream?${query}`, { token })],
      ["after", await send(server.url, "GET", `/api/v1/events?${query}`, { token })],
    ] as const;
  };

  test("if it is the cursor of another's event", async () => {
    for (const answer of (await Promise.all(["2", "3", "999999999999999"].map(ask))).flat()) {
      const [, { status, body }] = answer;
      // It names the newest of its own.
      expect([status, body]).toMatchObject([
        410,
        { oldestAfter: 0, message: expect.stringContaining("the newest is 1.") },
      ]);
    }
    await using stream = await openStream(attacker, { lastEventId: "0" });
    await victim.launched(ticker());
    await attacker.launched(ticker());
    expect(await stream.nextEvent()).toMatchObject({ id: 1, type: "launch.succeeded" });
    expect(await stream.nextEvent()).toMatchObject({ id: 2, type: "launch.rate_limited" });
    expect(typesOf((await list(attacker)).events)).toHaveLength(2);
  });

  test("if it is malformed, which is refused by name", async () => {
    const malformed = [
      ...["-1", "+1", "1.0", "1e1", "0x1", "1,2", "1 2", "1;1", "NaN", "null", "1".repeat(16)],
      ...["1 or 1=1", "1' or '1'='1", "%00", "..", "*", "{}", "[1]", "1".repeat(4_000)],
      ...[`${victim.wallet}-1`, `${victim.wallet}/1`, `0&wallet=${victim.wallet}`],
    ];
    for (const cursor of malformed) {
      for (const [field, { status, body }] of await ask(cursor)) {
        expect([cursor, status, body]).toMatchObject([cursor, 400, { details: [{ field }] }]);
      }
    }
  });
});

test("a server that drains ends its streams once, and opens others until it stops", async () => {
  using folder = tempDir();
  await using own = await startHere({ PORT: "0", DATA_DIR: folder.path });
  const agent = await Agent.signedIn(own);
  const first = await openStream(agent);
  expect(await first.next()).toMatchObject({ event: "stream.open" });
  own.drain();
  expect(await first.next()).toMatchObject({ event: "stream.end" });
  expect(await first.next()).toBeNull();
  const second = await openStream(agent);
  expect(await second.next()).toMatchObject({ event: "stream.open" });
  await agent.launch({ ticker: ticker() });
  expect(await second.nextEvent()).toMatchObject({ type: "launch.succeeded" });
});

const THRESHOLD = "/api/v1/events/threshold";

test("a fee threshold is of one agent, above 0 and at most a million SOL", async () => {
  const agent = await Agent.signedIn(server);
  const stranger = await Agent.signedIn(server);
  const read = ({ status, body }: Answer) => {
    expect(status).toBe(200);
    return expectShape(FeeThresholdSchema, body).claimableSOL;
  };
  expect(read(await agent.put(THRESHOLD, { claimableSOL: 0.1 }))).toBe(0.1);
  expect(read(await agent.put(THRESHOLD, { claimableSOL: 1e-9 }))).toBe(0.000000001);
  for (const claimableSOL of [0, -1, "0", "", "1e-9", 1e-10, "1000000.1", 1e21, null, true]) {
    expect(await stranger.put(THRESHOLD, { claimableSOL })).toMatchObject({
      status: 400,
      body: { details: [{ field: "claimableSOL" }] },
    });
  }
  expect(await stranger.put(THRESHOLD, {})).toMatchObject({ status: 400 });
  expect(read(await stranger.delete(THRESHOLD))).toBeNull();
  expect(read(await agent.get(THRESHOLD))).toBe(0.000000001);
  for (let n = 0; n < 2; n++) expect(read(await agent.delete(THRESHOLD))).toBeNull();
  expect(read(await agent.get(THRESHOLD))).toBeNull();
});

const WEBHOOKS = "/api/v1/webhooks";

async function addWebhook(agent: Agent, url: string) {
  const { status, body } = await agent.post(WEBHOOKS, { url });
  expect(status).toBe(200);
  return expectShape(WebhookWithSecretSchema, body);
}

async function webhooksOf(agent: Agent) {
  return expectShape(WebhookListSchema, (await agent.get(WEBHOOKS)).body).webhooks;
}

test("a receiver gets the events of its agent as the list has them, and none of another's", async () => {
  await using receiver = new Receiver();
  await using theirs = new Receiver();
  const agent = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const { secret, ...added } = await addWebhook(agent, receiver.url);
  await addWebhook(other, theirs.url);
  for (const by of [agent, other, agent]) await by.launched(ticker());
  await receiver.got(2);
  await theirs.got(1);
  expect(receiver.messages.map(({ event }) => event)).toEqual((await list(agent)).events as never);
  for (const message of receiver.messages) {
    expect(hasSecret(message, secret)).toBe(true);
    // With its time, because a restored database numbers on from its backup.
    const { id, timestamp } = message.event as { id?: number; timestamp?: string };
    expect(message.id).toBe(`${agent.wallet}-${id}-${Date.parse(String(timestamp))}`);
  }
  expect(theirs.events).toEqual([1]);
  const isPending = async () => {
    const { body } = await agent.get(`${WEBHOOKS}/${added.id}/deliveries`);
    const { deliveries } = expectShape(WebhookDeliveryListSchema, body);
    return deliveries.some(({ status }) => status === "pending");
  };
  while (await isPending()) await Bun.sleep(5);
  expect(await webhooksOf(agent)).toEqual([{ ...added, cursor: 2 }]);
});

test("a webhook of another agent does not exist", async () => {
  const url = "http://127.0.0.1:9/hook";
  const agent = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const { id } = await addWebhook(agent, url);
  const path = `${WEBHOOKS}/${id}`;
  for (const answer of [
    await other.delete(path),
    await other.get(`${path}/deliveries`),
    await other.post(`${path}/test`),
    await agent.delete(`${WEBHOOKS}/x`),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { code: "webhook_not_found" } });
  }
  expect(await webhooksOf(other)).toEqual([]);
  // An id in capitals, as clients with a type of their own for UUIDs may write it, is the same.
  const removed = await agent.delete(`${WEBHOOKS}/${id.toUpperCase()}`);
  expect(removed).toMatchObject({ status: 200, body: { success: true, url } });
  expect(await webhooksOf(agent)).toEqual([]);
});
