import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { dataFiles } from "../../server/src/config/config.ts";
import { CRASH_POINTS, type CrashPointName } from "../../server/src/launchpad/crash-point.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let server: TestServer;
/** The step at which the next launch waits, and how it continues. */
let gate: {
  readonly at: CrashPointName;
  readonly reached: () => void;
  opened: Promise<void>;
} | null = null;
beforeAll(async () => {
  server = await startTestServer(
    {},
    {
      crashPoint: async (name) => {
        if (name !== gate?.at) return;
        const { reached, opened } = gate;
        gate = null;
        reached();
        await opened;
      },
    },
  );
});
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;
const nextTicker = () => `T${tickers++}`;

/** Launches, and stops the launch after a step until the test continues it. */
async function holdAt(at: CrashPointName, agent: Agent) {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  gate = { at, reached: reached.resolve, opened: opened.promise };
  const { body } = await agent.launch({ ticker: nextTicker() });
  const { eventId } = expectShape(LaunchAcceptedSchema, body);
  await reached.promise;
  return {
    eventId,
    open: opened.resolve,
    fail: opened.reject,
    async release() {
      opened.resolve();
      await agent.signIn();
      return agent.untilEnded(eventId);
    },
  };
}

/** @returns the lease of a launch; null if it waits */
function leaseOf(eventId: string): string | null {
  using database = new Database(dataFiles(server.config.dataDir).database, { readonly: true });
  const query = database.query<{ lease_id: string | null }, [string]>(
    "select lease_id from launches where event_id = ?",
  );
  return query.get(eventId)?.lease_id ?? null;
}

function setToMidnight(before: number): void {
  const midnight = Math.ceil((server.clock.now() + 1) / DAY_MS) * DAY_MS;
  server.clock.set(midnight - before);
}

/** Changes the time of day alone, as a correction of the clock does: what waits goes on waiting. */
function stepBy(milliseconds: number): void {
  server.clock.set(server.clock.now() + milliseconds);
}

async function statusOfNext(agent: Agent): Promise<string> {
  await agent.signIn();
  return (await agent.launched(nextTicker())).status;
}

describe("midnight UTC", () => {
  test("a launch that is signed before midnight and confirmed after it counts for the day before", async () => {
    const agent = new Agent(server);
    setToMidnight(1);
    await agent.signIn();
    const held = await holdAt("launch.stored", agent);
    server.clock.advance(1);
    expect((await held.release()).status).toBe("success");
    expect(await statusOfNext(agent)).toBe("success");
    expect(await statusOfNext(agent)).toBe("rate_limited");
  });

  test("a launch that is leased before midnight and signed after it counts for the new day", async () => {
    const agent = new Agent(server);
    setToMidnight(1);
    await agent.signIn();
    const held = await holdAt("launch.leased", agent);
    server.clock.advance(1);
    expect((await held.release()).status).toBe("success");
    expect(await statusOfNext(agent)).toBe("rate_limited");
    server.clock.advance(DAY_MS);
    expect(await statusOfNext(agent)).toBe("success");
  });

  test("a rate_limited launch that is retried after midnight succeeds as the new day's only one", async () => {
    const agent = new Agent(server);
    setToMidnight(HOUR_MS);
    await agent.signIn();
    expect((await agent.launched(nextTicker())).status).toBe("success");
    setToMidnight(1);
    await agent.signIn();
    const { body } = await agent.launch({ ticker: nextTicker() });
    const { eventId } = expectShape(LaunchAcceptedSchema, body);
    expect((await agent.untilEnded(eventId)).status).toBe("rate_limited");
    server.clock.advance(1);
    await agent.post(`/api/v1/tokens/launch/${eventId}/retry`);
    expect((await agent.untilEnded(eventId)).status).toBe("success");
    expect(await statusOfNext(agent)).toBe("rate_limited");
  });

  test("a clock that steps back over midnight gives no agent two tokens in a day", async () => {
    const agent = new Agent(server);
    setToMidnight(-1);
    await agent.signIn();
    expect((await agent.launched(nextTicker())).status).toBe("success");
    server.clock.advance(-2);
    const held = await holdAt("launch.leased", agent);
    server.clock.advance(2);
    expect((await held.release()).status).toBe("rate_limited");
  });
});

describe.each([
  ["a minute", MINUTE_MS],
  ["a day", DAY_MS],
])("a clock that steps forward by %s", (_, step) => {
  test("makes one token of a launch that is taken over at any of its steps", async () => {
    for (const at of CRASH_POINTS.filter((name) => /^launch.(?!accepted)/.test(name))) {
      const agent = await Agent.signedIn(server);
      const held = await holdAt(at, agent);
      stepBy(step);
      // Its lease has run out: another launch wakes the worker, which leases it again.
      const other = await Agent.signedIn(server);
      expect((await other.launched(nextTicker())).status).toBe("success");
      await agent.signIn();
      const launch = await agent.untilEnded(held.eventId);
      expect(launch.status).toBe("success");
      expect(await held.release()).toEqual(launch);
      // Ends the first attempt too, and the pause that its failure starts.
      await server.restart();
      await agent.signIn();
      expect(await agent.status(launch.eventId)).toEqual(launch);
      const { body } = await agent.get("/api/v1/tokens/");
      expect((body as { tokens: unknown[] }).tokens).toHaveLength(1);
    }
  });

  test("expires claims that were prepared before, which then pay nothing", async () => {
    const agent = await Agent.signedIn(server);
    const mint = (await agent.launched(nextTicker())).tokenMint ?? "";
    await agent.post("/dev/airdrop", { sol: 1 });
    await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
    const { transaction } = await agent.prepareClaim(mint);
    stepBy(step);
    await agent.signIn();
    const { status } = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(status).toBe(409);
    expect((await agent.fees(mint)).dbcClaimableFees).toBe(0.01);
    expect((await agent.claim(mint)).claimedSOL).toBe(0.01);
  });
});

// Last, because the embedded chain's time never steps back: it stops until ours has caught up.
describe.each([
  ["an hour", HOUR_MS],
  ["a day", DAY_MS],
])("a clock that steps back by %s", (_, step) => {
  test("stops neither launches nor claims", async () => {
    const agent = await Agent.signedIn(server);
    const held = await holdAt("launch.signed", agent);
    stepBy(-step);
    const { tokenMint, status } = await held.release();
    expect(status).toBe("success");
    const mint = tokenMint ?? "";
    await agent.post("/dev/airdrop", { sol: 1 });
    for (let trade = 0; trade < 2; trade++) {
      await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
      const { transaction } = await agent.prepareClaim(mint);
      stepBy(-step);
      await agent.signIn();
      const claimed = await agent.submitClaim(mint, agent.signClaim(transaction));
      expect(claimed).toMatchObject({ status: 200, body: { claimedSOL: 0.01 } });
    }
    const other = await Agent.signedIn(server);
    expect((await other.launched(nextTicker())).status).toBe("success");
  });

  test("does not delay a launch that waits for its next attempt", async () => {
    const agent = await Agent.signedIn(server);
    const held = await holdAt("launch.leased", agent);
    held.fail(new Error("the chain is away"));
    while (leaseOf(held.eventId) !== null) await Bun.sleep(10);
    stepBy(-step);
    await agent.signIn();
    // Another agent's launch wakes the worker, whose pause after a failure ends after some seconds.
    for (let second = 0; second < 300; second++) {
      server.clock.advance(1_000);
      const other = await Agent.signedIn(server);
      await other.launch({ ticker: nextTicker() });
      if ((await agent.status(held.eventId)).status !== "pending") break;
    }
    expect((await agent.status(held.eventId)).status).toBe("success");
  });

  test("does not stop a launch that is retried", async () => {
    const agent = await Agent.signedIn(server);
    await agent.launched(nextTicker());
    const limited = await agent.launched(nextTicker());
    server.clock.advance(2 * DAY_MS);
    await agent.signIn();
    await agent.post(`/api/v1/tokens/launch/${limited.eventId}/retry`);
    stepBy(-step);
    await agent.signIn();
    expect((await agent.untilEnded(limited.eventId)).status).toBe("success");
  });

  test("refuses old nonces and tokens, and accepts every valid one", async () => {
    const agent = await Agent.signedIn(server);
    const nonce = await agent.nonce();
    stepBy(-step);
    expect((await agent.get("/api/v1/tokens/")).status).toBe(401);
    expect((await agent.verify(nonce)).status).toBe(200);
    expect((await agent.verify(nonce)).status).toBe(401);
    await agent.signIn();
    expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
    server.clock.advance(15 * MINUTE_MS);
    expect((await agent.get("/api/v1/tokens/")).status).toBe(401);
  });

  test("lets a restarted server finish its launches", async () => {
    const agent = await Agent.signedIn(server);
    const held = await holdAt("launch.stored", agent);
    stepBy(-step);
    held.open();
    await server.restart();
    expect((await held.release()).status).toBe("success");
  });
});
