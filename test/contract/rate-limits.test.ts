import { afterAll, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { signInMessage } from "@tokenctl/shared/sign-in";
import { describePostgres } from "../../server/src/testing/describe-postgres.ts";
import { sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent, type Answer, send } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { tempDir } from "../support/processes.ts";
import { startHere, startTestServer } from "../support/test-server.ts";

const server = await startTestServer({
  RATE_LIMIT_AUTH_PER_MINUTE: "10",
  RATE_LIMIT_WALLET_PER_MINUTE: "4",
  RATE_LIMIT_AGENT_PER_MINUTE: "6",
  TRUST_PROXY: "true",
});
afterAll(() => server[Symbol.asyncDispose]());

const newWallet = () => Keypair.generate().publicKey.toBase58();
const from = (address: string) => ({ "x-forwarded-for": address });

function challenge(wallet: string, address: string): Promise<Answer> {
  const headers = from(address);
  return send(server.url, "POST", "/api/auth/challenge", { json: { wallet }, headers });
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
  const ask = () => challenge(newWallet(), "192.0.2.1");
  expect(await statuses(times(17, ask))).toEqual({ 200: 10, 429: 7 });
  server.clock.advance(6_000);
  expect(await statuses(times(2, ask))).toEqual({ 200: 1, 429: 1 });
});

test("sign-in is limited by wallet, whatever address it comes from, and only the wallet counts", async () => {
  const agent = new Agent(server);
  const { wallet } = agent;
  let address = 0;
  async function verify(signer: Agent): Promise<Answer> {
    const from6 = `2001:db8:1:${(++address).toString(16)}::1`;
    const { body } = await challenge(wallet, from6);
    const { nonce } = body as { nonce: string };
    const json = { wallet, nonce, signature: signer.sign(signInMessage(nonce)) };
    return send(server.url, "POST", "/api/auth/verify", { json, headers: from(from6) });
  }
  expect(await statuses(times(9, () => verify(new Agent(server))))).toEqual({ 401: 9 });
  expect(await statuses(times(6, () => verify(agent)))).toEqual({ 200: 4, 429: 2 });
  expect((await verify(new Agent(server))).status).toBe(401);
});

test("signed-in agents are limited one by one, over all routes together, and told when to come again", async () => {
  const one = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const paths = ["/api/v1/tokens/", "/api/v1/tokens/claims", "/api/v1/tokens/launch/status/x"];
  await one.get("/api/v1/tokens/");
  // At once, any five of the twelve could come first; so one after another.
  const counts: Record<number, number> = {};
  for (let i = 0; i < 12; i++) {
    const { status } = await one.get(paths[i % paths.length] ?? "");
    counts[status] = (counts[status] ?? 0) + 1;
  }
  expect(counts).toEqual({ 200: 4, 404: 1, 429: 7 });
  server.clock.advance(500);
  const refused = await one.launch({ ticker: "LATE" });
  expect(refused).toMatchObject({
    status: 429,
    body: { error: errorCodes.too_many_requests.text },
  });
  expect(refused.headers.get("retry-after")).toBe("10");
  expect((await other.launch({ ticker: "LATE" })).status).toBe(200);
  server.clock.advance(9_500);
  expect((await one.get("/api/v1/tokens/")).status).toBe(200);
});

test("bad bearer tokens are limited by address, and good ones are not", async () => {
  const path = "/api/v1/tokens/";
  const ask = (address: string, token?: string) =>
    send(server.url, "GET", path, { token, headers: from(address) });
  const agent = await Agent.signedIn(server);

  const forged = times(14, () => ask("203.0.113.1", `${agent.token}x`));
  expect(await statuses(forged)).toEqual({ 401: 10, 429: 4 });
  const refused = await ask("203.0.113.1", "no.such.token");
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: errorCodes.too_many_requests.text });
  expect(refused.headers.get("retry-after")).toBe("6");

  // From that address, good tokens and requests without one still pass; other addresses are not limited.
  expect(await statuses(times(4, () => ask("203.0.113.1", agent.token)))).toEqual({ 200: 4 });
  expect(await statuses(times(12, () => ask("203.0.113.1")))).toEqual({ 401: 12 });
  expect((await ask("203.0.113.2", "no.such.token")).status).toBe(401);
  expect((await challenge(newWallet(), "203.0.113.1")).status).toBe(200);
  server.clock.advance(6_000);
  expect((await ask("203.0.113.1", "no.such.token")).status).toBe(401);
});

test("public routes have no limit", async () => {
  for (const path of ["/health", "/openapi/json"]) {
    for (let i = 0; i < 20; i++) {
      expect((await fetch(server.url + path)).status).toBe(200);
    }
  }
});

test("the wallets of one network add no more webhooks and fee thresholds in a day than its share", async () => {
  await using server = await startTestServer({ TRUST_PROXY: "true", NETWORK_SHARE: "1" });
  const signedIn = () => Agent.signedIn(server);
  const setThreshold = ({ token }: Agent, address: string, claimableSOL = 1) =>
    send(server.url, "PUT", "/api/v1/events/threshold", {
      token,
      headers: from(address),
      json: { claimableSOL },
    });
  const add = ({ token }: Agent, address: string, port: number) =>
    send(server.url, "POST", "/api/v1/webhooks", {
      token,
      headers: from(address),
      json: { url: `http://127.0.0.1:${port}/` },
    });
  const agents = await Promise.all(Array.from({ length: 18 }, signedIn));
  const one = agents[0] as Agent;
  const perAgent = (agent: Agent) => [
    ...[1, 2, 3, 4, 5].map((port) => add(agent, "192.0.2.1", port)),
    setThreshold(agent, "192.0.2.2"),
  ];
  expect(await statuses(agents.slice(0, 16).flatMap(perAgent))).toEqual({ 200: 96 });
  // A webhook that there is, and another value of a threshold, take no place.
  expect((await add(one, "192.0.2.1", 1)).status).toBe(409);
  expect((await setThreshold(one, "192.0.2.2", 2)).status).toBe(200);
  const rest = agents.slice(16);
  expect(await statuses(rest.flatMap(perAgent))).toEqual({ 200: 4, 429: 8 });
  const refused = await setThreshold(await signedIn(), "192.0.2.3");
  expect(refused).toMatchObject({ status: 429, body: { code: "share_used" } });
  expect(refused.headers.get("retry-after")).toBe("3600");
  expect((await setThreshold(one, "192.0.2.2", 3)).status).toBe(200);
  expect((await setThreshold(await signedIn(), "198.51.100.7")).status).toBe(200);
  server.clock.advance(86_400_000);
  expect((await setThreshold(await signedIn(), "192.0.2.3")).status).toBe(200);
});

describePostgres("of servers that share a database", () => {
  const PER_MINUTE = 60;
  /** More than both of them would admit, each by itself. */
  const BURST = 150;

  const ask = ({ url }: { readonly url: string }, address: string) =>
    send(url, "GET", `/public/tokens/${newWallet()}`, { headers: from(address) });

  /** Waits until a server enforces this limit. */
  async function enforces(server: { readonly url: string }, perMinute: number): Promise<void> {
    for (let n = 0; ; n++) {
      const address = `2001:db8:0:${n.toString(16)}::1`;
      const answers = await Promise.all(times(perMinute + 10, () => ask(server, address)));
      const refused = answers.find(({ status }) => status === 429);
      const { message = "" } = (refused?.body ?? {}) as { message?: string };
      if (message.includes(`at most ${perMinute} requests a minute`)) return;
      await Bun.sleep(50);
    }
  }

  test("each enforces its part, so that a client gets no more from two than from one", async () => {
    using folder = tempDir();
    const env = {
      ...clusterSettings(folder.path).env,
      PORT: "0",
      DATA_DIR: folder.path,
      TRUST_PROXY: "true",
      MINT_SECRET: "ab".repeat(32),
      JWT_SECRET: "j".repeat(32),
      DATABASE_URL: await (await sharedPostgres()).createDatabase(),
      RATE_LIMIT_PUBLIC_PER_MINUTE: String(PER_MINUTE),
    };
    await using first = await startHere(env);
    await enforces(first, PER_MINUTE);
    await using other = await startHere(env);
    await enforces(other, PER_MINUTE / 2);
    // It reads at its start, and then twice a minute, how many there are.
    await first.stop();
    await using again = await startHere(env);
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
  });
});
