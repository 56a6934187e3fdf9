import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { type RunningServer, startServer } from "../../server/src/server.ts";
import { describePostgres } from "../../server/src/testing/describe-postgres.ts";
import { sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent, type Answer, send } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

const newWallet = () => Keypair.generate().publicKey.toBase58();

function challenge(url: string, wallet: string, headers = {}): Promise<Answer> {
  return send(url, "POST", "/api/auth/challenge", { json: { wallet }, headers });
}

/** Returns how often each status was answered, for example `{ 200: 1, 409: 49 }`. */
const statuses = async (requests: Promise<Answer>[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(requests)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = (count: number, request: () => Promise<Answer>) =>
  Array.from({ length: count }, request);

test("sign-in is limited by client address, whatever wallet it names", async () => {
  await using server = await startTestServer({ RATE_LIMIT_AUTH_PER_MINUTE: "5" });
  const requests = times(12, () => challenge(server.url, newWallet()));
  expect(await statuses(requests)).toEqual({ 200: 5, 429: 7 });
  server.clock.advance(12_000);
  expect(await statuses(times(2, () => challenge(server.url, newWallet())))).toEqual({
    200: 1,
    429: 1,
  });
});

test("sign-in is limited by wallet, whatever address it comes from", async () => {
  await using server = await startTestServer({
    RATE_LIMIT_WALLET_PER_MINUTE: "4",
    TRUST_PROXY: "true",
  });
  const wallet = newWallet();
  let address = 0;
  const fromElsewhere = () =>
    challenge(server.url, wallet, { "x-forwarded-for": `192.0.2.${++address}` });
  expect(await statuses(times(6, fromElsewhere))).toEqual({ 200: 4, 429: 2 });
  expect((await challenge(server.url, newWallet())).status).toBe(200);
});

test("signed-in agents are limited one by one, over all routes together", async () => {
  await using server = await startTestServer({ RATE_LIMIT_AGENT_PER_MINUTE: "6" });
  const one = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const paths = ["/api/v1/tokens/", "/api/v1/tokens/claims", "/api/v1/tokens/launch/status/x"];
  // At once, any six of the twelve could come first; so one after another.
  const counts: Record<number, number> = {};
  for (let i = 0; i < 12; i++) {
    const { status } = await one.get(paths[i % paths.length] ?? "");
    counts[status] = (counts[status] ?? 0) + 1;
  }
  expect(counts).toEqual({ 200: 4, 404: 2, 429: 6 });
  expect((await one.launch({ ticker: "LATE" })).status).toBe(429);
  expect((await other.launch({ ticker: "LATE" })).status).toBe(200);
});

test("bad bearer tokens are limited by address, and good ones are not", async () => {
  await using server = await startTestServer({
    RATE_LIMIT_AUTH_PER_MINUTE: "6",
    TRUST_PROXY: "true",
  });
  const path = "/api/v1/tokens/";
  const from = (address: string, token?: string) =>
    send(server.url, "GET", path, { token, headers: { "x-forwarded-for": address } });
  const agent = await Agent.signedIn(server);

  const forged = times(10, () => from("192.0.2.1", `${agent.token}x`));
  expect(await statuses(forged)).toEqual({ 401: 6, 429: 4 });
  const refused = await from("192.0.2.1", "no.such.token");
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: errorCodes.too_many_requests.text });
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(refused.headers.get("ratelimit-policy")).toBe('"bad-token";q=6;w=60');

  // From that address, good tokens and requests without one still pass; other addresses are not limited.
  expect(await statuses(times(10, () => from("192.0.2.1", agent.token)))).toEqual({ 200: 10 });
  expect(await statuses(times(10, () => from("192.0.2.1")))).toEqual({ 401: 10 });
  expect((await from("192.0.2.2", "no.such.token")).status).toBe(401);
  expect(
    (await challenge(server.url, newWallet(), { "x-forwarded-for": "192.0.2.1" })).status,
  ).toBe(200);
  server.clock.advance(10_000);
  expect((await from("192.0.2.1", "no.such.token")).status).toBe(401);
});

test("an answer with 429 says why and when to come again", async () => {
  await using server = await startTestServer({ RATE_LIMIT_AGENT_PER_MINUTE: "2" });
  const agent = await Agent.signedIn(server);
  const first = await agent.get("/api/v1/tokens/");
  expect(first.headers.get("ratelimit-policy")).toBe('"agent";q=2;w=60');
  expect(first.headers.get("ratelimit")).toBe('"agent";r=1;t=30');
  await agent.get("/api/v1/tokens/");
  server.clock.advance(9_500);
  const refused = await agent.get("/api/v1/tokens/");
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: errorCodes.too_many_requests.text });
  expect(refused.headers.get("retry-after")).toBe("21");
  expect(refused.headers.get("ratelimit")).toBe('"agent";r=0;t=21');
  server.clock.advance(21_000);
  expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
});

test("sign-in answers carry both of their limits", async () => {
  await using server = await startTestServer({
    RATE_LIMIT_AUTH_PER_MINUTE: "60",
    RATE_LIMIT_WALLET_PER_MINUTE: "30",
  });
  const { headers } = await challenge(server.url, newWallet());
  expect(headers.get("ratelimit-policy")).toBe('"address";q=60;w=60, "wallet";q=30;w=60');
  expect(headers.get("ratelimit")).toBe('"address";r=59;t=1, "wallet";r=29;t=2');
});

test("public routes have no limit", async () => {
  await using server = await startTestServer({
    RATE_LIMIT_AUTH_PER_MINUTE: "1",
    RATE_LIMIT_AGENT_PER_MINUTE: "1",
  });
  for (const path of ["/health", "/openapi/json"]) {
    for (let i = 0; i < 20; i++) {
      const response = await fetch(server.url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get("ratelimit")).toBeNull();
    }
  }
});

describePostgres("of servers that share a database", () => {
  const PER_MINUTE = 60;
  /** More than both of them would admit, each by itself. */
  const BURST = 150;

  async function setUp() {
    const folder = tempDir();
    const config = readConfig({
      ...clusterSettings(folder.path).env,
      PORT: "0",
      DATA_DIR: folder.path,
      TRUST_PROXY: "true",
      LOG_LEVEL: "silent",
      MINT_SECRET: "ab".repeat(32),
      JWT_SECRET: "j".repeat(32),
      DATABASE_URL: await (await sharedPostgres()).createDatabase(),
      RATE_LIMIT_PUBLIC_PER_MINUTE: String(PER_MINUTE),
    });
    const start = () => startServer(config, { clock: systemClock, log: createLog("silent") });
    return { start, [Symbol.dispose]: () => folder[Symbol.dispose]() };
  }

  const ask = ({ url }: RunningServer, address: string) =>
    send(url, "GET", `/public/tokens/${newWallet()}`, {
      headers: { "x-forwarded-for": address },
    });

  /** Waits until a server enforces this limit. */
  async function enforces(server: RunningServer, perMinute: number): Promise<void> {
    for (let n = 0; ; n++) {
      const { headers } = await ask(server, `2001:db8:0:${n.toString(16)}::1`);
      if (headers.get("ratelimit-policy") === `"public";q=${perMinute};w=60`) return;
      await Bun.sleep(10);
    }
  }

  test("each enforces its part, so that a client gets no more from two than from one", async () => {
    using scene = await setUp();
    const first = await scene.start();
    await enforces(first, PER_MINUTE);
    const other = await scene.start();
    await enforces(other, PER_MINUTE / 2);
    // It reads at its start, and then twice a minute, how many there are.
    await first.stop();
    const again = await scene.start();
    await enforces(again, PER_MINUTE / 2);
    // It may have counted while there was one.
    await enforces(other, PER_MINUTE / 2);
    const began = performance.now();
    const answers = [again, other].flatMap((server) =>
      times(BURST, () => ask(server, "192.0.2.1")),
    );
    const { 404: admitted = 0, ...refused } = await statuses(answers);
    // Each request becomes available again after a second.
    const regained = Math.ceil((performance.now() - began) / 1_000);
    expect(admitted).toBeGreaterThanOrEqual(PER_MINUTE);
    expect(admitted).toBeLessThanOrEqual(PER_MINUTE + 2 * regained);
    expect(refused).toEqual({ 429: 2 * BURST - admitted });
    await other.stop();
    await again.stop();
  });
});
