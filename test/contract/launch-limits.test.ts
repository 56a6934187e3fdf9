import { describe, expect, test } from "bun:test";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { countStatuses } from "../support/count-statuses.ts";
import { startTestServer } from "../support/test-server.ts";
import { startWaitingServer } from "../support/waiting-server.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Seconds; the servers' clock starts at 9 in the morning. */
const UNTIL_MIDNIGHT = String((15 * HOUR_MS) / 1000);

const launchFrom = (agent: Agent, ticker: string, address: string) =>
  agent.post("/api/v1/tokens/launch", { name: "A token", ticker }, { "x-forwarded-for": address });

const retry = (agent: Agent, eventId: string, address = "192.0.2.1") =>
  agent.post(`/api/v1/tokens/launch/${eventId}/retry`, undefined, { "x-forwarded-for": address });

const eventIdOf = ({ body }: Answer) => expectShape(LaunchAcceptedSchema, body).eventId;

describe("an agent", () => {
  test("gets twenty launches a day, even over a restart, and learns when it may launch again", async () => {
    await using server = await startTestServer();
    const agent = await Agent.signedIn(server);
    const other = await Agent.signedIn(server);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => agent.launch({ ticker: `MANY${n}` })),
    );
    expect(countStatuses(answers)).toEqual({ 200: 20, 429: 10 });
    const refused = answers.findIndex(({ status }) => status === 429);
    expect(answers[refused]?.headers.get("retry-after")).toBe(UNTIL_MIDNIGHT);
    expect(answers[refused]?.body).toEqual({
      error: "Too many launches of this agent today",
      code: "agent_launch_limit",
      message:
        "At most 20 launches of an agent are accepted in a UTC day. Nothing was stored. Try again at 2026-03-02 00:00 UTC.",
    });
    // A refused launch takes no ticker.
    expect((await other.launch({ ticker: `MANY${refused}` })).status).toBe(200);

    await server.restart();
    expect((await agent.launch({ ticker: "AFTER" })).status).toBe(429);
    server.clock.set(Date.UTC(2026, 2, 2));
    await agent.signIn();
    expect((await agent.launch({ ticker: "AFTER" })).status).toBe(200);
  });

  test("loses no launch of its day to a repeated or a refused request", async () => {
    await using server = await startTestServer({ MAX_LAUNCHES_PER_AGENT: "2" });
    const agent = await Agent.signedIn(server);
    const other = await Agent.signedIn(server);
    await other.launch({ ticker: "TAKEN" });
    const once = () =>
      agent.post(
        "/api/v1/tokens/launch",
        { name: "Once", ticker: "ONCE" },
        { "idempotency-key": "k" },
      );
    const first = await Promise.all([once(), once(), once()]);
    const eventId = eventIdOf(first[0]);
    for (let n = 0; n < 3; n++) {
      expect((await agent.launch({ ticker: "TAKEN" })).status).toBe(409);
      expect((await agent.launch({ ticker: "no" })).status).toBe(400);
    }
    expect((await agent.launch({ ticker: "SECOND" })).status).toBe(200);
    expect((await agent.launch({ ticker: "THIRD" })).status).toBe(429);
    expect(eventIdOf(await once())).toBe(eventId);
  });

  test("has no limit with MAX_LAUNCHES_PER_AGENT=0", async () => {
    await using server = await startTestServer({ MAX_LAUNCHES_PER_AGENT: "0" });
    const agent = await Agent.signedIn(server);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => agent.launch({ ticker: `MANY${n}` })),
    );
    expect(countStatuses(answers)).toEqual({ 200: 30 });
  });
});

describe("an address", () => {
  const agentsOf = (server: { readonly url: string }, count: number) =>
    Promise.all(Array.from({ length: count }, () => Agent.signedIn(server)));

  test("gets ten launches a day on a real cluster, even over a restart, for all its agents together", async () => {
    await using server = await startWaitingServer();
    const agents = await agentsOf(server, 15);
    const [one] = agents as [Agent];
    const answers = await Promise.all(
      agents.map((agent, n) => launchFrom(agent, `MANY${n}`, "192.0.2.1")),
    );
    expect(countStatuses(answers)).toEqual({ 200: 10, 429: 5 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe(UNTIL_MIDNIGHT);
    expect(refused?.body).toMatchObject({
      error: "Too many launches of this address today",
      code: "address_launch_limit",
      message: expect.stringContaining("Try again at 2026-03-02 00:00 UTC."),
    });

    await server.restart();
    expect((await launchFrom(one, "AFTER", "192.0.2.1")).status).toBe(429);
    expect((await launchFrom(one, "ELSE", "192.0.2.2")).status).toBe(200);
    server.clock.set(Date.UTC(2026, 2, 2));
    await one.signIn();
    expect((await launchFrom(one, "AFTER", "192.0.2.1")).status).toBe(200);
  });

  test("is the /64 of an IPv6 client, and loses no launch to a refused request", async () => {
    await using server = await startWaitingServer({ MAX_LAUNCHES_PER_ADDRESS: "2" });
    const agent = await Agent.signedIn(server);
    expect((await launchFrom(agent, "ONE", "2001:db8::1")).status).toBe(200);
    expect((await launchFrom(agent, "ONE", "2001:db8::2")).status).toBe(409);
    expect((await launchFrom(agent, "TWO", "2001:db8:0:0:ffff::2")).status).toBe(200);
    expect((await launchFrom(agent, "THREE", "2001:db8::3")).status).toBe(429);
    expect((await launchFrom(agent, "THREE", "2001:db8:0:1::3")).status).toBe(200);
  });

  test("uses up one launch with each retry", async () => {
    await using server = await startTestServer({
      MAX_LAUNCHES_PER_ADDRESS: "3",
      TRUST_PROXY: "true",
    });
    const agent = await Agent.signedIn(server);
    await agent.untilEnded(eventIdOf(await launchFrom(agent, "ONE", "192.0.2.1")));
    const eventId = eventIdOf(await launchFrom(agent, "TWO", "192.0.2.1"));
    await agent.untilEnded(eventId);
    expect((await retry(agent, eventId)).status).toBe(200);
    expect((await agent.untilEnded(eventId)).status).toBe("rate_limited");
    const refused = await retry(agent, eventId);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: "address_launch_limit" });
    expect((await agent.status(eventId)).status).toBe("rate_limited");
  });

  test("has no limit on the sandbox, or with MAX_LAUNCHES_PER_ADDRESS=0", async () => {
    await using sandbox = await startTestServer();
    await using unlimited = await startWaitingServer({ MAX_LAUNCHES_PER_ADDRESS: "0" });
    for (const server of [sandbox, unlimited]) {
      const agents = await agentsOf(server, 12);
      const answers = await Promise.all(
        agents.map((agent, n) => launchFrom(agent, `MANY${n}`, "192.0.2.1")),
      );
      expect(countStatuses(answers)).toEqual({ 200: 12 });
    }
  });

  test("fills a hundredth of the queue at most, and leaves the rest to others", async () => {
    const env = {
      MAX_LAUNCHES_PER_AGENT: "0",
      MAX_LAUNCHES_PER_ADDRESS: "0",
      MAX_QUEUE: "300",
    };
    await using server = await startWaitingServer(env);
    const [one, other] = (await agentsOf(server, 2)) as [Agent, Agent];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => launchFrom(one, `MANY${n}`, "192.0.2.1")),
    );
    expect(countStatuses(answers)).toEqual({ 200: 3, 429: 7 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe("30");
    expect(refused?.body).toMatchObject({
      error: "The share of your network address is used up",
      code: "share_used",
      message:
        "At most 3 launches of a network address and 30 of its network (IPv4 /24, IPv6 /48) may wait. Nothing was stored. Send the request again later.",
    });
    await server.restart();
    expect((await launchFrom(other, "SAME", "192.0.2.1")).status).toBe(429);
    expect((await launchFrom(other, "ELSE", "192.0.2.2")).status).toBe(200);
  });
});

describe("the ticker of a launch that ended without a token", () => {
  /** An agent whose launch of this ticker ended `rate_limited`. */
  async function limited(server: { readonly url: string }, ticker: string) {
    const agent = await Agent.signedIn(server);
    expect((await agent.launched(`${ticker}0`)).status).toBe("success");
    const { eventId, status } = await agent.launched(ticker);
    expect(status).toBe("rate_limited");
    return { agent, eventId };
  }

  test("is free for others after a day, and then no longer its first owner's to retry", async () => {
    await using server = await startTestServer();
    const owner = await limited(server, "WANTED");
    const other = await Agent.signedIn(server);
    server.clock.advance(DAY_MS - 1);
    await other.signIn();
    expect((await other.launch({ ticker: "WANTED" })).status).toBe(409);
    server.clock.advance(1);
    expect((await other.launched("WANTED")).status).toBe("success");
    await owner.agent.signIn();
    const late = await retry(owner.agent, owner.eventId);
    expect(late.status).toBe(409);
    expect(late.body).toEqual({ error: "Ticker WANTED already exists", code: "ticker_taken" });
    expect((await owner.agent.status(owner.eventId)).status).toBe("rate_limited");
    // A token never loses its ticker.
    server.clock.advance(1_000 * DAY_MS);
    await owner.agent.signIn();
    expect((await owner.agent.launch({ ticker: "WANTED" })).status).toBe(409);
  });

  test("stays with an owner who retries within the day, or later unless another agent has taken it", async () => {
    await using server = await startTestServer();
    const soon = await limited(server, "SOON");
    const late = await limited(server, "LATE");
    const other = await Agent.signedIn(server);
    server.clock.advance(DAY_MS - 1);
    await soon.agent.signIn();
    expect((await retry(soon.agent, soon.eventId)).status).toBe(200);
    server.clock.advance(DAY_MS);
    await Promise.all([late.agent.signIn(), other.signIn(), soon.agent.signIn()]);
    expect((await retry(late.agent, late.eventId)).status).toBe(200);
    for (const { agent, eventId } of [soon, late]) {
      expect((await agent.untilEnded(eventId)).status).toBe("success");
    }
    for (const ticker of ["SOON", "LATE"]) {
      expect((await other.launch({ ticker })).status).toBe(409);
    }
  });

  test("is free at once with TICKER_HOLD_HOURS=0, and goes to one agent only", async () => {
    await using server = await startTestServer({ TICKER_HOLD_HOURS: "0" });
    await limited(server, "FREE");
    const others = await Promise.all(Array.from({ length: 10 }, () => Agent.signedIn(server)));
    const answers = await Promise.all(others.map((other) => other.launch({ ticker: "FREE" })));
    expect(countStatuses(answers)).toEqual({ 200: 1, 409: 9 });
  });

  test("stays with a launch that is still pending, however long it takes", async () => {
    await using server = await startWaitingServer();
    const [owner, other] = [await Agent.signedIn(server), await Agent.signedIn(server)];
    await launchFrom(owner, "WAITS", "192.0.2.1");
    server.clock.advance(1_000 * DAY_MS);
    await other.signIn();
    expect((await launchFrom(other, "WAITS", "192.0.2.2")).status).toBe(409);
  });
});
