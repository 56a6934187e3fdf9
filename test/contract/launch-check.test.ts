import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { UploadedImageSchema } from "@tokenctl/shared/contract/service";
import type {
  ErrorBody,
  LaunchCheck,
  LaunchRefusal,
  LaunchRequest,
  UploadedImage,
} from "@tokenctl/shared/types";
import { dataFiles } from "../../server/src/config/config.ts";
import { Agent, expectShape, send } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { startWaitingServer } from "../support/waiting-server.ts";

const PATH = "/api/v1/tokens/launch/check";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ MAX_LAUNCHES_PER_AGENT: "2" });
});
afterAll(() => server[Symbol.asyncDispose]());

async function check(agent: Agent, request: object) {
  const { status, body } = await agent.post(PATH, request);
  expect(status).toBe(200);
  return expectShape(LaunchCheckSchema, body);
}

const asked = (ticker: string): LaunchRequest => ({
  name: "A token",
  ticker,
  imageUrl: "https://example.com/a.png",
});

const codesOf = ({ refusals }: LaunchCheck) => refusals.map(({ code }) => code);

/** All rows of a database that a server works on. */
/** All rows but those that time alone changes: the server's report of itself, and the chain's height. */
function rowsOf(path: string): unknown {
  using database = new Database(path, { readonly: true });
  const tables = database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name <> 'servers'",
    )
    .all();
  return tables.map(({ name }) => [
    name,
    database
      .query<unknown, []>(`select * from "${name}"`)
      .values()
      .filter(([key]) => key !== "highest_slot"),
  ]);
}

async function uploaded(agent: Agent): Promise<UploadedImage> {
  const answer = await fetch(`${agent.server.url}/api/v1/images`, {
    method: "POST",
    headers: { authorization: `Bearer ${agent.token}` },
    body: new Uint8Array(pngImage(2, 2)),
  });
  expect(answer.status).toBe(200);
  return expectShape(UploadedImageSchema, await answer.json());
}

test("a launch that was found good is accepted, and a check uses up nothing", async () => {
  const agent = await Agent.signedIn(server);
  for (let n = 0; n < 5; n++) {
    expect(await check(agent, asked("GOOD"))).toMatchObject({
      ok: true,
      refusals: [],
      endsAs: null,
      agent: { hasLaunchedToday: false, waiting: 0, accepted: 0, limit: 2, left: 2 },
      queue: { depth: 0, place: 1 },
      service: { ok: true, message: null },
      onChain: { name: "A token", symbol: "GOOD" },
      fees: {
        bondingCurve: { startBps: 100, endBps: 100, creatorSharePercent: 100 },
        liquidityPool: { startBps: 100, endBps: 100, creatorSharePercent: 100 },
      },
    });
  }
  expect((await agent.get("/api/v1/tokens/")).body).toEqual({ tokens: [] });
  expect((await agent.launched("GOOD")).status).toBe("success");
});

test("a second launch of the day is found rate_limited, and so it ends", async () => {
  const agent = await Agent.signedIn(server);
  await agent.launched("FIRST");
  const found = await check(agent, asked("SECOND"));
  expect(found).toMatchObject({
    ok: false,
    refusals: [],
    agent: { hasLaunchedToday: true, left: 1 },
    quotasReturnAt: "2026-03-02T00:00:00.000Z",
  });
  expect(found.expectedSeconds).toBe(0);
  const second = await agent.launched("SECOND");
  const { status, error } = second;
  expect(found.endsAs).toEqual({ status, error } as typeof found.endsAs);

  const full = await check(agent, asked("SECOND"));
  expect(codesOf(full)).toEqual(["agent_launch_limit", "ticker_taken"]);
  expect(full.endsAs).toEqual(found.endsAs);
  expect(full.ticker?.retryEventId).toBe(second.eventId);
  const other = await check(await Agent.signedIn(server), asked("SECOND"));
  expect(other.ticker).toEqual({ isFree: false, freeAt: null, retryEventId: null });
  expect(other.refusals).toEqual([{ code: "ticker_taken", error: "Ticker SECOND already exists" }]);
});

test("a ticker that the agent's own launch has is refused with its id, its status and what to do; another agent's is not named", async () => {
  await using waiting = await startWaitingServer();
  const pending = await Agent.signedIn(waiting);
  const { eventId } = (await pending.launch({ ticker: "WAITS" })).body as { eventId: string };
  const inPending = await ownRefusal(pending, "WAITS");
  expect(inPending).toMatchObject({ eventId, status: "pending" });
  expect(inPending.message).toContain(`the launch ${eventId} is pending. Wait for it.`);

  await using sandbox = await startTestServer();
  const agent = await Agent.signedIn(sandbox);
  const done = await agent.launched("DONE");
  expect(await ownRefusal(agent, "DONE")).toMatchObject({
    eventId: done.eventId,
    status: "success",
  });
  const limited = await agent.launched("LATER");
  const inLimited = await ownRefusal(agent, "LATER");
  expect(inLimited).toMatchObject({ eventId: limited.eventId, status: "rate_limited" });
  expect(inLimited.message).toContain("Retry it");

  const theirs = await (await Agent.signedIn(sandbox)).launch({ ticker: "DONE" });
  expect(theirs.body).toEqual({ error: "Ticker DONE already exists", code: "ticker_taken" });
});

/** @returns the refusal of a launch, which the check has foretold */
async function ownRefusal(agent: Agent, ticker: string): Promise<ErrorBody> {
  const { status, body } = await agent.launch({ ticker });
  expect(status).toBe(409);
  const refusal = expectShape(ErrorBodySchema, body);
  expect((await check(agent, asked(ticker))).refusals).toContainEqual(refusal as LaunchRefusal);
  return refusal;
}

test("what is refused is said with the launch's own code and texts, and nothing in the store or on the chain changes", async () => {
  // A look at the pools, which the clock would start, would store their prices.
  const env = { MAX_LAUNCHES_PER_AGENT: "1", POOL_WATCH_SECONDS: "3600" };
  await using strict = await startTestServer(env);
  const agent = await Agent.signedIn(strict);
  await agent.launched("TAKEN");
  const other = await Agent.signedIn(strict);
  const { url } = await uploaded(other);
  const missing = url.replace(/[0-9a-f]{64}/, "0".repeat(64));
  const good = { name: "A token", ticker: "NEW" };
  const { database, localLedger } = dataFiles(strict.config.dataDir);
  // An upload of the same image would now keep it for longer.
  strict.clock.advance(60_000);
  const everything = () => [rowsOf(database), rowsOf(localLedger)];
  const before = everything();
  for (const [by, request] of [
    [agent, good],
    [other, { ...good, ticker: "TAKEN", imageUrl: url }],
    [other, { ...good, imageUrl: missing }],
    [other, { ...good, website: "javascript:alert(1)", twitter: "x", imageUrl: "ftp://a" }],
    [other, { ...good, ticker: "taken" }],
  ] as const) {
    const { refusals } = await check(by, request);
    const { retryAfterSeconds, ...first } = refusals[0] ?? { code: "none" };
    const launched = await by.post("/api/v1/tokens/launch", request);
    expect(launched.status).toBeGreaterThanOrEqual(400);
    expect(launched.body).toEqual(first);
    expect(launched.headers.get("retry-after")).toBe(retryAfterSeconds?.toString() ?? null);
  }
  expect((await check(other, { ...good, imageUrl: url })).ok).toBe(true);
  expect(everything()).toEqual(before);
});

test("each wrong field is a finding, beside those of the other topics", async () => {
  const agent = await Agent.signedIn(server);
  const found = await check(agent, { ticker: "FREE", imageUrl: "javascript:alert(1)", extra: 1 });
  expect(found).toMatchObject({ ok: false, onChain: null });
  const [refusal, ...others] = found.refusals;
  expect([refusal?.code, others]).toEqual(["validation_failed", []]);
  const fields = refusal?.details?.map(({ field }) => field).toSorted();
  expect(fields).toEqual(["extra", "imageUrl", "name"]);
  expect(found.ticker).toMatchObject({ isFree: true });
  const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`x${n}`, n]));
  const hostile = { ...many, ticker: 5, name: ["x"], __proto__: { ticker: "FREE" } };
  expect(await check(agent, hostile)).toMatchObject({ ticker: null, onChain: null });
});

test.each([[[]], ["text"], [null]])("the body %j is refused as a launch's is", async (body) => {
  const agent = await Agent.signedIn(server);
  const [checked, launched] = [await agent.post(PATH, body), await agent.post(`${PATH}/..`, body)];
  expect(checked.status).toBe(400);
  expect(checked.body).toEqual(launched.body);
});

test("a check needs a bearer token, and counts for the agent's rate limit", async () => {
  await using strict = await startTestServer({ RATE_LIMIT_AGENT_PER_MINUTE: "2" });
  expect((await send(strict.url, "POST", PATH, { json: asked("ANY") })).status).toBe(401);
  const agent = await Agent.signedIn(strict);
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await agent.post(PATH, asked("ANY"))).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test("a check shows the chain's own time per block and rent, once they are measured", async () => {
  await using server = await startTestServer({ LOCAL_SLOT_MS: "200", LOCAL_RENT: "696" });
  const agent = await Agent.signedIn(server);
  const paceOf = async () => {
    const { body } = await agent.post("/api/v1/tokens/launch/check", { name: "n", ticker: "PACE" });
    return expectShape(LaunchCheckSchema, body).pace;
  };
  let pace = await paceOf();
  while (typeof pace?.secondsPerBlock !== "number") {
    expect(pace?.lamportsPerByte ?? 696).toBe(696);
    server.clock.advance(10_000);
    await Bun.sleep(100);
    pace = await paceOf();
  }
  expect(pace).toEqual({ secondsPerBlock: 0.2, secondsToLand: 30, lamportsPerByte: 696 });
});
