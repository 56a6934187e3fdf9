import { afterAll, beforeAll, expect, test } from "bun:test";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { LaunchListSchema, LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
/** Lets the worker go on with launches that it has leased. */
let goOn = Promise.withResolvers<void>();
let leased = Promise.withResolvers<void>();
goOn.resolve();
beforeAll(async () => {
  const crashPoint = async (name: string) => {
    if (name !== "launch.leased") return;
    leased.resolve();
    await goOn.promise;
  };
  server = await startTestServer({ WORKER_CONCURRENCY: "1" }, { crashPoint });
});
afterAll(async () => {
  goOn.resolve();
  await server[Symbol.asyncDispose]();
});

async function accepted(agent: Agent, ticker: string): Promise<string> {
  return expectShape(LaunchAcceptedSchema, (await agent.launch({ ticker })).body).eventId;
}

const listed = async (agent: Agent, query = "") =>
  expectShape(LaunchListSchema, (await agent.get(`/api/v1/tokens/launches${query}`)).body);

const cancel = (agent: Agent, eventId: string) =>
  agent.post(`/api/v1/tokens/launch/${eventId}/cancel`);

test("a launch is found again, says what it waits for, and can be cancelled until it is signed", async () => {
  const [agent, other] = [await Agent.signedIn(server), await Agent.signedIn(server)];
  goOn = Promise.withResolvers();
  leased = Promise.withResolvers();
  const since = new Date(server.clock.now()).toISOString();
  const first = await accepted(other, "FIRST");
  await leased.promise;
  const waiting = await accepted(agent, "WAITS");
  expect(await other.status(first)).toMatchObject({
    status: "pending",
    waitingFor: "deployment",
    waitingSince: since,
  });
  expect(await agent.status(waiting)).toMatchObject({
    status: "pending",
    waitingFor: "queue",
    queuePlace: 2,
    waitingSince: since,
  });
  expect(await listed(agent)).toEqual({
    launches: [
      {
        eventId: waiting,
        ticker: "WAITS",
        tokenName: "WAITS token",
        createdAt: since,
        status: "pending",
        waitingFor: "queue",
        waitingSince: since,
        processedAt: null,
        tokenMint: null,
        poolAddress: null,
        error: null,
      },
    ],
  });

  expect((await cancel(other, waiting)).body).toMatchObject({ code: "launch_not_found" });
  const { status, body } = await cancel(agent, waiting);
  expect(status).toBe(200);
  const cancelled = expectShape(LaunchStatusSchema, body);
  expect(cancelled).toMatchObject({ status: "failed", error: "Cancelled by its agent" });
  expect(cancelled).not.toHaveProperty("waitingFor");
  expect((await cancel(agent, waiting)).body).toEqual(body);

  // Its ticker is free for anyone, and a launch that is leased can be cancelled too.
  const again = await accepted(other, "WAITS");
  expect((await cancel(other, first)).status).toBe(200);
  leased = Promise.withResolvers();
  goOn.resolve();
  expect(await other.untilEnded(again)).toMatchObject({ status: "success" });
  expect(await other.status(first)).toMatchObject({ error: "Cancelled by its agent" });
  const refused = expectShape(ErrorBodySchema, (await cancel(other, again)).body);
  expect(refused).toMatchObject({ code: "not_cancellable", message: "Its status is success." });
});

test("the list has pages and can show one status", async () => {
  const agent = await Agent.signedIn(server);
  await agent.launched("DONE");
  for (const ticker of ["ONE", "TWO"]) await agent.launched(ticker);
  const page = await listed(agent, "?limit=2");
  const rest = await listed(agent, `?limit=2&cursor=${page.nextCursor}`);
  expect([page, rest].map(({ launches }) => launches.map(({ ticker }) => ticker))).toEqual([
    ["TWO", "ONE"],
    ["DONE"],
  ]);
  expect(rest.nextCursor).toBeUndefined();
  const limited = await listed(agent, "?status=rate_limited");
  expect(limited.launches.map(({ ticker }) => ticker)).toEqual(["TWO", "ONE"]);
  expect((await listed(agent, "?status=success")).launches).toHaveLength(1);
});

test.each([
  ["?status=done", "status"],
  ["?status=", "status"],
  ["?limit=0", "limit"],
  ["?cursor=x", "cursor"],
])("a list with %s is refused, and the field is named", async (query, field) => {
  const agent = await Agent.signedIn(server);
  const { status, body } = await agent.get(`/api/v1/tokens/launches${query}`);
  expect(status).toBe(400);
  expect(expectShape(ErrorBodySchema, body).details).toMatchObject([{ field }]);
});
