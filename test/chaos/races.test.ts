import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  ClaimReceiptSchema,
  LaunchAcceptedSchema,
  TokenListSchema,
} from "@tokenctl/shared/response-schemas";
import { parseSol } from "@tokenctl/shared/sol";
import type { CheckpointName } from "../../server/src/launchpad/checkpoint.ts";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { run, tempFolder } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { figures, scale } from "./scale.ts";
import { startFromSource, TOKEND } from "./source-server.ts";

const DAY_MS = 86_400_000;
/** How many do the same at once. */
const RIVALS = 50;
const ROUNDS = scale(3, 100);

let server: TestServer;
/** How often each step was done. */
const steps = new Map<CheckpointName, number>();
/** What a claim waits for before it is stored. */
let gate: (() => Promise<void>) | null = null;
beforeAll(async () => {
  const checkpoint = async (name: CheckpointName) => {
    steps.set(name, done(name) + 1);
    if (name === "claim.accepted") await gate?.();
  };
  server = await startTestServer({}, { checkpoint });
});
afterAll(() => server[Symbol.asyncDispose]());

const done = (name: CheckpointName) => steps.get(name) ?? 0;

function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Counts answers by status, for example `{ 200: 1, 409: 49 }`. */
function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function tokensOf(agent: Agent): Promise<number> {
  const { body } = await agent.get("/api/v1/tokens/");
  return expectShape(TokenListSchema, body).tokens.length;
}

let tickers = 0;
const nextTicker = () => `R${tickers++}`;

describe("one Idempotency-Key", () => {
  test(`${RIVALS} launches with it and one body are one launch`, async () => {
    const agent = await Agent.signedIn(server);
    const ticker = nextTicker();
    const answers = await atOnce(RIVALS, () =>
      agent.post("/api/v1/tokens/launch", { name: "A", ticker }, { "idempotency-key": "k" }),
    );
    expect(tally(answers)).toEqual({ 200: RIVALS });
    const ids = answers.map(({ body }) => expectShape(LaunchAcceptedSchema, body).eventId);
    expect(new Set(ids).size).toBe(1);
    expect((await agent.settled(ids[0] ?? "")).status).toBe("success");
    expect(await tokensOf(agent)).toBe(1);
  });

  test("of two bodies under it one is launched, the other refused", async () => {
    const agent = await Agent.signedIn(server);
    const names = ["one", "other"];
    const ticker = nextTicker();
    const answers = await atOnce(RIVALS, (index) =>
      agent.post(
        "/api/v1/tokens/launch",
        { name: names[index % 2], ticker },
        { "idempotency-key": "k" },
      ),
    );
    expect(tally(answers)).toEqual({ 200: RIVALS / 2, 409: RIVALS / 2 });
  });
});

describe("one launch to retry", () => {
  test(`${RIVALS} retries at once while the worker takes it make one token`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = await Agent.signedIn(server);
      expect((await agent.launched(nextTicker())).status).toBe("success");
      const limited = await agent.launched(nextTicker());
      expect(limited.status).toBe("rate_limited");
      server.clock.advance(DAY_MS);
      await agent.signIn();
      const signed = done("launch.signed");
      const answers = await atOnce(RIVALS, () =>
        agent.post(`/api/v1/tokens/launch/${limited.eventId}/retry`),
      );
      expect(tally(answers)).toEqual({ 200: 1, 409: RIVALS - 1 });
      expect((await agent.settled(limited.eventId)).status).toBe("success");
      expect(done("launch.signed") - signed).toBe(1);
      expect(await tokensOf(agent)).toBe(2);
    }
  });

  test("retried over and over within its day, it goes on being rate_limited", async () => {
    const agent = await Agent.signedIn(server);
    await agent.launched(nextTicker());
    const { eventId } = await agent.launched(nextTicker());
    const signed = done("launch.signed");
    const answers = await atOnce(RIVALS, async (index) => {
      await Bun.sleep(index);
      return agent.post(`/api/v1/tokens/launch/${eventId}/retry`);
    });
    expect(tally(answers)[200]).toBeGreaterThan(0);
    expect((await agent.settled(eventId)).status).toBe("rate_limited");
    expect(done("launch.signed")).toBe(signed);
    expect(await tokensOf(agent)).toBe(1);
  });
});

describe("one token's fees", () => {
  let agent: Agent;
  let mint: string;
  beforeAll(async () => {
    agent = await Agent.signedIn(server);
    mint = (await agent.launched(nextTicker())).tokenMint ?? "";
    await agent.post("/dev/airdrop", { sol: 1 });
  });

  /** Lets the token earn. @returns lamports to be claimed */
  async function earn(): Promise<bigint> {
    await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
    return claimable();
  }

  /** Of both kinds: after many trades the token graduates. */
  async function claimable(): Promise<bigint> {
    const { dbcClaimableFees, lpClaimableFees } = await agent.fees(mint);
    return lamports(dbcClaimableFees) + lamports(lpClaimableFees);
  }

  const lamports = (sol: number) => parseSol(sol.toFixed(9));
  const paid = ({ body }: Answer) => lamports(expectShape(ClaimReceiptSchema, body).claimedSOL);

  test("one claim through two connections is taken once and answered alike", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const earned = await earn();
      const signedTransaction = agent.signClaim((await agent.prepareClaim(mint)).transaction);
      const submit = () => submitAlone(JSON.stringify({ signedTransaction }));
      const accepted = done("claim.accepted");
      const taken = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      gate = () => {
        taken.resolve();
        return opened.promise;
      };
      const first = submit();
      await taken.promise;
      const second = submit();
      // Once later requests were answered, the second one has arrived too.
      for (let later = 0; later < 5; later++) await agent.get("/api/v1/tokens/");
      opened.resolve();
      gate = null;
      const answers = await Promise.all([first, second]);
      expect(answers.map(paid)).toEqual([earned, earned]);
      expect(answers[0]?.body).toEqual(answers[1]?.body);
      expect(done("claim.accepted") - accepted).toBe(1);
    }
  });

  /** Submits a claim through a connection of its own. */
  async function submitAlone(body: string): Promise<Answer> {
    const response = await fetch(`${server.url}/api/v1/tokens/claims/${mint}`, {
      method: "POST",
      headers: { authorization: `Bearer ${agent.token}`, "content-type": "application/json" },
      body,
      keepalive: false,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  test("many claims of the same fees pay them once", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const earned = await earn();
      const prepared = await atOnce(10, () => agent.prepareClaim(mint));
      const answers = await atOnce(10, (index) =>
        agent.submitClaim(mint, agent.signClaim(prepared[index]?.transaction ?? "")),
      );
      expect(tally(answers)).toEqual({ 200: 1, 502: 9 });
      const [first] = answers.filter(({ status }) => status === 200);
      expect(first && paid(first)).toBe(earned);
      expect(await claimable()).toBe(0n);
    }
  });
});

test("a second server on the same data is refused, even while the first is frozen", async () => {
  using folder = tempFolder();
  await using first = await startFromSource(folder.path);
  const agent = await Agent.signedIn(first);
  for (const signal of ["SIGCONT", "SIGSTOP"] as const) {
    process.kill(first.pid, signal);
    const data = join(folder.path, "data");
    const second = await run(TOKEND, folder.path, { PORT: "0", DATA_DIR: data });
    expect(second).toMatchObject({ exitCode: 1, stdout: "" });
    expect(second.stderr).toContain(`Another tokend is running on ${data}`);
    expect(second.stderr).not.toContain("    at ");
  }
  process.kill(first.pid, "SIGCONT");
  expect((await agent.launched("UNHARMED")).status).toBe("success");
  expect(first.output()).not.toMatch(/"level":"(warn|error|fatal)"/);
  expect(await first.end("SIGTERM")).toBe(0);
});

afterAll(() =>
  figures("races", { rivals: RIVALS, rounds: ROUNDS, steps: Object.fromEntries(steps) }),
);
