import { afterAll, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { nonceHost } from "@tokenctl/shared/sign-in";
import { exchange } from "../../server/src/testing/listen.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const PUBLIC_URL = "https://User:Pass@Tokens.Example:443/base/";

const server = await startTestServer({ PUBLIC_URL });
afterAll(() => server[Symbol.asyncDispose]());

/** @returns the answer to a request with these header lines */
function answerTo(lines: readonly string[], target = "/health", at = server): Promise<string> {
  return raw(at, [`GET ${target} HTTP/1.1`, ...lines, "Connection: close", "", ""].join("\r\n"));
}

const raw = ({ url }: TestServer, text: string) => exchange(new URL(url).port, text);

const OWN =
  "localhost LOCALHOST:8787 127.0.0.1:1 [::1] [::1]:8787 tokens.example Tokens.Example:443";
const FOREIGN = ` evil.example evil.example:8787 localhost.evil.example evil.localhost localhost.
  127.0.0.1.evil.example 127.0.0.2 0.0.0.0 10.0.0.1:8787 [::] a evil.example@localhost
  localhost@evil.example localhost/evil localhost# a:b:c`;

test.each(OWN.split(" "))("a sandbox on loopback answers as %s, at any port", async (host) => {
  expect(await answerTo([`Host: ${host}`])).toStartWith("HTTP/1.1 200 OK");
});

test.each(FOREIGN.split(/\s+/))("a sandbox on loopback does not answer as %j", async (host) => {
  for (const path of ["/health", "/nowhere", "/openapi/json"]) {
    const answer = await answerTo([`Host: ${host}`], path);
    expect(answer).toStartWith("HTTP/1.1 421 Misdirected Request\r\n");
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({
      error: "Misdirected request",
      code: "foreign_host",
      message: expect.stringContaining(
        "localhost, 127.0.0.1, [::1] and the host of its PUBLIC_URL",
      ),
    });
  }
});

test("a target with a host of its own does not lend it to the request", async () => {
  const foreign = await answerTo(["Host: evil.example"], "http://localhost/health");
  expect(foreign).toStartWith("HTTP/1.1 421 ");
  // Without a host, which only HTTP/1.0 permits.
  expect(await raw(server, "GET /health HTTP/1.0\r\n\r\n")).toStartWith("HTTP/1.1 421 ");
  const absolute = await raw(server, "GET http://localhost/health HTTP/1.0\r\n\r\n");
  expect(absolute).toStartWith("HTTP/1.1 421 ");
});

test("a web page whose name was led to this machine can do nothing on the sandbox", async () => {
  const wallet = Keypair.generate().publicKey.toBase58();
  const host = `evil.example:${new URL(server.url).port}`;
  const calls: [path: string, body: object][] = [
    ["/api/auth/challenge", { wallet }],
    ["/api/v1/webhooks", { url: "http://127.0.0.1:9/" }],
    ["/dev/airdrop", { wallet, sol: 1 }],
    ["/dev/rpc", { jsonrpc: "2.0", id: 1, method: "requestAirdrop", params: [wallet, 1] }],
  ];
  for (const [path, body] of calls) {
    const answer = await fetch(server.url + path, {
      method: "POST",
      headers: { host, origin: `http://${host}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect([path, answer.status]).toEqual([path, 421]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
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

test("a request without a host is refused", async () => {
  expect(await answerTo([])).toStartWith("HTTP/1.1 400 ");
});

test("a nonce carries the host of PUBLIC_URL, or the one at which the server listens", async () => {
  expect(nonceHost(await new Agent(server).nonce())).toBe("tokens.example");
  await using own = await startTestServer();
  expect(nonceHost(await new Agent(own).nonce())).toBe(new URL(own.url).host);
});
