import { afterAll, expect, test } from "bun:test";
import { freeBytes } from "../../server/src/base/files.ts";
import { Agent, send } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer({ METRICS_PORT: "0" });
const metricsUrl = server.metricsUrl ?? "";
const agent = await Agent.signedIn(server);
afterAll(() => server[Symbol.asyncDispose]());

/** @returns the samples that Prometheus reads, by name and labels */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(metricsUrl);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  const lines = (await response.text()).split("\n").filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test("the metrics count a launch and a claim, with counters that were there before", async () => {
  const before = await scrape();
  const { tokenMint, eventId } = await agent.launched("METRO");
  const mint = tokenMint ?? "";
  await agent.launched("AGAIN");
  await agent.post("/dev/airdrop", { sol: 1 });
  const { body } = await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 2 });
  expect(body).toEqual({
    success: true,
    signature: expect.any(String),
    side: "buy",
    sol: 2,
    tokens: expect.stringMatching(/^\d{12,}$/),
    creatorFeeSOL: 0.02,
    isMigrated: false,
  });
  const { claimedSOL } = await agent.claim(mint);
  expect(claimedSOL).toBe(0.02);
  await agent.get(`/api/v1/tokens/launch/status/${crypto.randomUUID()}`);

  const samples = await scrape();
  expect(Object.fromEntries(samples)).toMatchObject({
    'tokend_launches_total{status="success",payer="operator",cause="deployed"}': 1,
    'tokend_launches_total{status="rate_limited",payer="operator",cause="day"}': 1,
    'tokend_launches_total{status="failed",payer="operator",cause="chain"}': 0,
    'tokend_launches_total{status="failed",payer="agent",cause="unsigned"}': 0,
    'tokend_claims_total{outcome="confirmed"}': 1,
    tokend_launch_queue_depth: 0,
    tokend_launch_queue_oldest_seconds: 0,
    tokend_chain_usable: 1,
    tokend_chain_stalled_seconds: 0,
    tokend_database_writable: 1,
    tokend_launches_paused: 0,
    'tokend_http_requests_total{method="POST",route="/api/v1/tokens/launch/",status="200"}': 2,
    'tokend_http_requests_total{method="GET",route="/api/v1/tokens/launch/status/:eventId",status="404"}': 1,
    'tokend_http_request_duration_seconds_count{method="POST",route="/api/v1/tokens/launch/"}': 2,
    'tokend_rpc_requests_total{method="sendTransaction",outcome="ok"}': 2,
  });
  expect(samples.get("tokend_wallet_sol")).toBeGreaterThan(0);
  const free = freeBytes(server.config.dataDir);
  expect((samples.get("tokend_disk_free_bytes") ?? 0) / free).toBeCloseTo(1, 1);
  expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  // The others of prom-client are zero on Bun.
  expect([...samples.keys()].filter((name) => name.startsWith("nodejs_"))).toEqual([
    "nodejs_eventloop_lag_seconds",
    "nodejs_eventloop_lag_p99_seconds",
  ]);
  const names = [...samples.keys()].join("\n");
  for (const secret of [agent.wallet, mint, eventId, agent.token]) {
    expect(names).not.toContain(secret);
  }

  const counters = [...samples.keys()].filter((name) => /^tokend_\w+_total\{/.test(name));
  const born = counters.filter((name) => !before.has(name));
  // What a route answers beside errors of the server is counted from the first answer on.
  expect(born.filter((name) => !/route=.*status="[24]/.test(name))).toEqual([]);
  expect(counters).toContain(
    'tokend_http_requests_total{method="POST",route="/api/v1/tokens/launch/",status="503"}',
  );
});

test("texts that clients choose make no series", async () => {
  const served = async () =>
    // The server's own first calls to its chain may come in between.
    [...(await scrape()).keys()].filter((name) => !name.startsWith("tokend_rpc_"));
  const before = new Set(await served());
  for (let i = 0; i < 30; i++) {
    await send(server.url, "GET", `/no/such/path/${i}`);
    await fetch(`${server.url}/health?${i}`, { method: `METHOD${i}` });
    await send(server.url, "GET", `/api/v1/tokens/${crypto.randomUUID()}`);
  }
  const added = (await served()).filter((name) => !before.has(name));
  expect(added.length).toBeLessThan(80);
  expect(added.filter((name) => /_total|_count/.test(name)).length).toBeLessThan(20);
});

test("the metrics' port serves only the metrics, and nothing of the API, to every client", async () => {
  const { origin } = new URL(metricsUrl);
  const requests = [
    ...["POST", "PUT", "PATCH", "DELETE"].map((method) => [method, "/metrics"]),
    ...["/", "/metrics/", "/metrics/../health", "/metrics%2f"].map((path) => ["GET", path]),
    ...["/health", "/openapi/json", "/api/v1/tokens/"].map((path) => ["GET", path]),
    ...["/dev/rpc", "/api/v1/tokens/launch", "/api/auth/challenge"].map((path) => ["POST", path]),
  ];
  for (const [method = "", path = ""] of requests) {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${agent.token}` },
    });
    const text = "Not found; see /metrics\n";
    expect([method, path, answer.status, await answer.text()]).toEqual([method, path, 404, text]);
  }
  const large = await fetch(`${origin}/metrics`, { method: "POST", body: "x".repeat(65_536) });
  expect(large.status).toBe(413);
});
