import { afterAll, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { nonceHost } from "@tokenctl/shared/sign-in";
import { corsAnswers } from "../../server/src/http/listen.ts";
import { exchange, listen } from "../../server/src/testing/listen.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const APP = "https://app.example";

const server = await startTestServer({
  METRICS_PORT: "0",
  PUBLIC_URL: "https://User:Pass@Tokens.Example:443/base/",
  CORS_ORIGINS: `${APP}, http://localhost:5173`,
});
const agent = await Agent.signedIn(server);
afterAll(() => server[Symbol.asyncDispose]());

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(server.url + path, init);
  await response.arrayBuffer();
  return response;
}

const wallet = Keypair.generate().publicKey.toBase58();
const signedIn = () => ({ headers: { authorization: `Bearer ${agent.token}` } });
const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

test("every answer forbids browsers to guess its type and caches to keep it, and lets pages of allowed origins read it", async () => {
  const rpc = { jsonrpc: "2.0", id: 1, method: "getHealth" };
  const requests: [status: number, path: string, init?: RequestInit][] = [
    [200, "/health"],
    [200, "/health", { method: "HEAD" }],
    [200, "/api/auth/challenge", json({ wallet })],
    [400, "/api/auth/challenge", json({})],
    [401, "/api/v1/tokens/"],
    [200, "/api/v1/tokens/", signedIn()],
    [200, "/api/v1/tokens/claims", signedIn()],
    [404, "/api/v1/tokens/nothing", signedIn()],
    [405, "/api/v1/tokens/launch", { method: "DELETE" }],
    [405, "/health", { method: "OPTIONS" }],
    [413, "/api/auth/verify", json("x".repeat(100_000))],
    [404, "/nowhere"],
    [200, "/openapi/json"],
    [200, "/dev/rpc", json(rpc)],
  ];
  for (const [wanted, path, init] of requests) {
    const { status, headers } = await ask(path, {
      ...init,
      headers: { ...init?.headers, origin: APP },
    });
    expect([path, status]).toEqual([path, wanted]);
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      vary: path === "/openapi/json" ? "Origin, Accept-Encoding" : "Origin",
      "access-control-allow-origin": APP,
      "access-control-expose-headers": "x-request-id, retry-after",
    });
  }
  const stream = await fetch(`${server.url}/api/v1/events/stream`, {
    headers: { ...signedIn().headers, origin: APP },
  });
  await stream.body?.cancel();
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  expect(stream.headers.get("access-control-allow-origin")).toBe(APP);
});

const preflight = (origin: string): RequestInit => ({
  method: "OPTIONS",
  headers: { origin, "access-control-request-method": "POST" },
});
const granted = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));

test("a page of an allowed origin may send every request of the contract, without cookies", async () => {
  for (const path of ["/api/v1/tokens/launch", "/api/auth/challenge", "/health"]) {
    const answer = await ask(path, preflight(APP));
    expect([answer.status, answer.headers.get("vary")]).toEqual([204, "Origin"]);
    expect(granted(answer)).toEqual({
      "access-control-allow-origin": APP,
      "access-control-allow-methods": "GET, POST, PUT, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, idempotency-key, last-event-id, solana-client",
      "access-control-expose-headers": expect.any(String),
      "access-control-max-age": "7200",
    });
  }
});

test("a page of another origin is granted nothing, and caches are told that it matters", async () => {
  const host = "evil.example";
  for (const origin of [
    ...[`https://${host}`, `${APP}.${host}`, `${APP}:444`, "null", "http://app.example"],
  ]) {
    const asked = await ask("/api/v1/tokens/launch", preflight(origin));
    expect([origin, asked.status, granted(asked)]).toEqual([origin, 405, {}]);
    const read = await ask("/health", { headers: { origin } });
    expect([origin, read.status, granted(read)]).toEqual([origin, 200, {}]);
    expect(read.headers.get("vary")).toBe("Origin");
  }
  const page = await ask("/", { headers: { origin: APP, accept: "text/html" } });
  expect([page.status, page.headers.get("vary")]).toEqual([200, "Origin, Accept-Encoding"]);
});

test("without CORS_ORIGINS no page is granted anything, and with * every page is", () => {
  const request = new Request("http://localhost", preflight(APP));
  expect(corsAnswers([])(request)).toEqual({ isPreflight: false, headers: {} });
  expect(corsAnswers(["*"])(request)).toMatchObject({
    isPreflight: true,
    headers: { "access-control-allow-origin": "*" },
  });
});

test("the answer of Bun for an app that throws, and the metrics' answers, have the same headers", async () => {
  const app = {
    server: null,
    fetch: () => {
      throw new Error("boom");
    },
  };
  const broken = listen(app, { hostname: "127.0.0.1", port: 0 });
  const answers = await Promise.all(
    [
      broken.url,
      new URL(server.metricsUrl ?? ""),
      new URL("/nowhere", server.metricsUrl ?? ""),
    ].map((url) => fetch(url)),
  );
  await broken.stop(true);
  expect(answers.map(({ status }) => status)).toEqual([500, 200, 404]);
  for (const { headers } of answers) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

const raw = (text: string, { url } = server) => exchange(new URL(url).port, text);

/** @returns the answer to a request with these header lines */
const answerTo = (lines: readonly string[], target = "/health", at = server) =>
  raw([`GET ${target} HTTP/1.1`, ...lines, "Connection: close", "", ""].join("\r\n"), at);

const OWN =
  "localhost LOCALHOST:8787 127.0.0.1:1 [::1] [::1]:8787 tokens.example Tokens.Example:443";
const FOREIGN = ` evil.example evil.example:8787 localhost.evil.example evil.localhost localhost.
  127.0.0.1.evil.example 127.0.0.2 0.0.0.0 10.0.0.1:8787 [::] a evil.example@localhost
  localhost@evil.example localhost/evil localhost# a:b:c`;

test("a sandbox on loopback answers as its own hosts, at any port, and as no other", async () => {
  for (const host of OWN.split(" ")) {
    expect(await answerTo([`Host: ${host}`])).toStartWith("HTTP/1.1 200 OK");
  }
  for (const host of FOREIGN.split(/\s+/)) {
    for (const path of ["/health", "/nowhere", "/openapi/json"]) {
      const answer = await answerTo([`Host: ${host}`], path);
      expect([host, answer.split("\r\n")[0]]).toEqual([host, "HTTP/1.1 421 Misdirected Request"]);
      expect(answer).toContain("localhost, 127.0.0.1, [::1] and the host of its PUBLIC_URL");
    }
  }
});

test("a target with a host of its own does not lend it to the request", async () => {
  const foreign = await answerTo(["Host: evil.example"], "http://localhost/health");
  expect(foreign).toStartWith("HTTP/1.1 421 ");
  // Without a host, which only HTTP/1.0 permits.
  expect(await raw("GET /health HTTP/1.0\r\n\r\n")).toStartWith("HTTP/1.1 421 ");
  const absolute = await raw("GET http://localhost/health HTTP/1.0\r\n\r\n");
  expect(absolute).toStartWith("HTTP/1.1 421 ");
  expect(await answerTo([])).toStartWith("HTTP/1.1 400 ");
});

test("a web page whose name was led to this machine can do nothing on the sandbox", async () => {
  const host = `evil.example:${new URL(server.url).port}`;
  const calls: [path: string, body: object][] = [
    ["/api/auth/challenge", { wallet }],
    ["/api/v1/webhooks", { url: "http://127.0.0.1:9/" }],
    ["/dev/airdrop", { wallet, sol: 1 }],
    ["/dev/rpc", { jsonrpc: "2.0", id: 1, method: "requestAirdrop", params: [wallet, 1] }],
  ];
  for (const [path, body] of calls) {
    const { headers, ...init } = json(body);
    const answer = await ask(path, {
      ...init,
      headers: { ...headers, host, origin: `http://${host}` },
    });
    expect([path, answer.status, granted(answer)]).toEqual([path, 421, {}]);
  }
});

test("a sandbox that other machines may reach answers the same whatever the host is", async () => {
  const env = { HOST: "0.0.0.0", ALLOW_REMOTE_SANDBOX: "true" };
  await using remote = await startTestServer(env);
  const hosts = ["", "a", "localhost", "x".repeat(300), "[::1]:1", "::", "a b/c?d#e", "x/../y"];
  for (const host of [...hosts, "a.b.c.example.com:8443"]) {
    expect(await answerTo([`Host: ${host}`], "/health", remote)).toStartWith("HTTP/1.1 200 OK");
  }
});

test.each([
  ["two of them", ["Host: a", "Host: b"]],
  ["two that are equal", ["Host: a", "Host: a"]],
  ["two in other letters, apart", ["host: a", "Accept: */*", "HOST: b"]],
  ["an empty one and another", ["Host:", "Host: a"]],
  ["another and an empty one", ["Host: a", "Host:"]],
  ["one that lists two", ["Host: a, b"]],
  ["three of them", ["Host: a", "Host: b", "Host: c"]],
])("a request with several hosts is refused and the connection closed: %s", async (_, lines) => {
  for (const path of ["/health", "/nowhere", "/api/v1/tokens/"]) {
    const answer = await answerTo(lines, path);
    expect(answer).toStartWith("HTTP/1.1 400 Bad Request\r\n");
    expect(answer).toMatch(/^connection: close\r$/im);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
    expect(JSON.parse(body)).toEqual({
      error: "Validation failed",
      code: "ambiguous_host",
      details: [{ field: "Host", message: "must be sent exactly once" }],
    });
  }
});

test("a nonce carries the host of PUBLIC_URL, or the one at which the server listens", async () => {
  expect(nonceHost(await new Agent(server).nonce())).toBe("tokens.example");
  await using own = await startTestServer();
  expect(nonceHost(await new Agent(own).nonce())).toBe(new URL(own.url).host);
});

test("the API document is compressed for clients that ask for it", async () => {
  const url = `${server.url}/openapi/json`;
  const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
  const zipped = await fetch(url, { headers: { "accept-encoding": "gzip" }, decompress: false });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  const unzipped = Bun.gunzipSync(await zipped.arrayBuffer());
  expect(Bun.hash(unzipped)).toBe(Bun.hash(await plain.bytes()));
});
