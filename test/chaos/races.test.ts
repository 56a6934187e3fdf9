import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ClaimReceiptSchema } from "@tokenctl/shared/contract/claim";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { TokenListSchema } from "@tokenctl/shared/contract/token";
import { parseSol } from "@tokenctl/shared/sol";
import type { CrashPointName } from "../../server/src/launchpad/crash-point.ts";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { countStatuses } from "../support/count-statuses.ts";
import { run, startTokend, TOKEND, tempFolder } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { figures, scale } from "./scale.ts";

const DAY_MS = 86_400_000;
/** How many requests are sent at once. */
const REQUESTS = 50;
const ROUNDS = scale(3, 100);

let server: TestServer;
/** How often the server reached each step. */
const steps = new Map<CrashPointName, number>();
/** A claim waits for this before it is stored. */
let gate: (() => Promise<void>) | null = null;
beforeAll(async () => {
  const crashPoint = async (name: CrashPointName) => {
    steps.set(name, done(name) + 1);
    if (name === "claim.signed") await gate?.();
  };
  server = await startTestServer({}, { crashPoint });
});
afterAll(() => server[Symbol.asyncDispose]());

const done = (name: CrashPointName) => steps.get(name) ?? 0;

function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

async function tokensOf(agent: Agent): Promise<number> {
  const { body } = await agent.get("/api/v1/tokens/");
  return expectShape(TokenListSchema, body).tokens.length;
}

let tickers = 0;
const nextTicker = () => `R${tickers++}`;

describe("one Idempotency-Key", () => {
  test(`makes one launch of ${REQUESTS} requests with the same body`, async () => {
    const agent = await Agent.signedIn(server);
    const ticker = nextTicker();
    const answers = await atOnce(REQUESTS, () =>
      agent.post("/api/v1/tokens/launch", { name: "A", ticker }, { "idempotency-key": "k" }),
    );
    expect(countStatuses(answers)).toEqual({ 200: REQUESTS });
    const ids = answers.map(({ body }) => expectShape(LaunchAcceptedSchema, body).eventId);
    expect(new Set(ids).size).toBe(1);
    expect((await agent.untilEnded(ids[0] ?? "")).status).toBe("success");
    expect(await tokensOf(agent)).toBe(1);
  });

  test("launches one of two bodies, and refuses the other", async () => {
    const agent = await Agent.signedIn(server);
    const names = ["one", "other"];
    const ticker = nextTicker();
    const answers = await atOnce(REQUESTS, (index) =>
      agent.post(
        "/api/v1/tokens/launch",
        { name: names[index % 2], ticker },
        { "idempotency-key": "k" },
      ),
    );
    expect(countStatuses(answers)).toEqual({ 200: REQUESTS / 2, 409: REQUESTS / 2 });
  });
});

describe("a rate_limited launch", () => {
  test(`gets one token from ${REQUESTS} retries at once`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = await Agent.signedIn(server);
      expect((await agent.launched(nextTicker())).status).toBe("success");
      const limited = await agent.launched(nextTicker());
      expect(limited.status).toBe("rate_limited");
      server.clock.advance(DAY_MS);
      await agent.signIn();
      const signed = done("launch.signed");
      const answers = await atOnce(REQUESTS, () =>
        agent.post(`/api/v1/tokens/launch/${limited.eventId}/retry`),
      );
      expect(countStatuses(answers)).toEqual({ 200: 1, 409: REQUESTS - 1 });
      expect((await agent.untilEnded(limited.eventId)).status).toBe("success");
      expect(done("launch.signed") - signed).toBe(1);
      expect(await tokensOf(agent)).toBe(2);
    }
  });

  test("stays rate_limited if it is retried over and over within its day", async () => {
    const agent = await Agent.signedIn(server);
    await agent.launched(nextTicker());
    const { eventId } = await agent.launched(nextTicker());
    const signed = done("launch.signed");
    const answers = await atOnce(REQUESTS, async (index) => {
      await Bun.sleep(index);
      return agent.post(`/api/v1/tokens/launch/${eventId}/retry`);
    });
    expect(countStatuses(answers)[200]).toBeGreaterThan(0);
    expect((await agent.untilEnded(eventId)).status).toBe("rate_limited");
    expect(done("launch.signed")).toBe(signed);
    expect(await tokensOf(agent)).toBe(1);
  });
});

describe("a token's fees", () => {
  let agent: Agent;
  let mint: string;
  beforeAll(async () => {
    agent = await Agent.signedIn(server);
    mint = (await agent.launched(nextTicker())).tokenMint ?? "";
    await agent.post("/dev/airdrop", { sol: 1 });
  });

  /** Lets the token earn fees. @returns the lamports that can be claimed */
  async function earn(): Promise<bigint> {
    await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
    return claimable();
  }

  /** Adds the fees of both kinds, because the token graduates after many trades. */
  async function claimable(): Promise<bigint> {
    const { dbcClaimableFees, lpClaimableFees } = await agent.fees(mint);
    return lamports(dbcClaimableFees) + lamports(lpClaimableFees);
  }

  const lamports = (sol: number) => parseSol(sol.toFixed(9));
  const paid = ({ body }: Answer) => lamports(expectShape(ClaimReceiptSchema, body).claimedSOL);

  test("are paid once by one claim through two connections, with the same answer", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const earned = await earn();
      const signedTransaction = agent.signClaim((await agent.prepareClaim(mint)).transaction);
      const submit = () => submitAlone(JSON.stringify({ signedTransaction }));
      const accepted = done("claim.signed");
      const taken = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      gate = () => {
        taken.resolve();
        return opened.promise;
      };
      const first = submit();
      await taken.promise;
      const second = submit();
      // Once later requests are answered, the second claim has arrived too.
      for (let later = 0; later < 5; later++) await agent.get("/api/v1/tokens/");
      opened.resolve();
      gate = null;
      const answers = await Promise.all([first, second]);
      expect(answers.map(paid)).toEqual([earned, earned]);
      expect(answers[0]?.body).toEqual(answers[1]?.body);
      expect(done("claim.signed") - accepted).toBe(1);
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

  test("are paid once by many claims at once", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const earned = await earn();
      const prepared = await atOnce(10, () => agent.prepareClaim(mint));
      const answers = await atOnce(10, (index) =>
        agent.submitClaim(mint, agent.signClaim(prepared[index]?.transaction ?? "")),
      );
      expect(countStatuses(answers)).toEqual({ 200: 1, 409: 9 });
      const [first] = answers.filter(({ status }) => status === 200);
      expect(first && paid(first)).toBe(earned);
      expect(await claimable()).toBe(0n);
    }
  });
});

test("a second server on the same data is refused, even while the first is frozen", async () => {
  using folder = tempFolder();
  await using first = await startTokend(TOKEND, folder.path);
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
  figures("races", { requests: REQUESTS, rounds: ROUNDS, steps: Object.fromEntries(steps) }),
);
