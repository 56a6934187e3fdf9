import { afterAll, beforeAll, expect, test } from "bun:test";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Agent } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test.each([{}, { accept: "*/*" }])("crawlers, which ask with %o, get the page", async (headers) => {
  // Bun's `fetch` would add an `Accept`.
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  get(server.url, { headers }, resolve);
  const answer = await promise;
  expect(answer.statusCode).toBe(200);
  expect(await text(answer)).toStartWith("<!doctype html>");
});

test("a browser gets the page, which cannot be framed, and asks for it only once", async () => {
  const page = await fetch(server.url, { headers: HTML });
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = page.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(await page.text()).toStartWith("<!doctype html>");
  const etag = page.headers.get("etag") ?? "";
  const again = await fetch(server.url, { headers: { ...HTML, "if-none-match": etag } });
  expect(again.status).toBe(304);
});

test.each([
  ["GET", { accept: "application/json" }],
  ["POST", HTML],
])("%s / with %o finds no endpoint", async (method, headers) => {
  const answer = await fetch(server.url, { method, headers });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ code: "not_found" });
});

test("with CONSOLE=private there is a page, but no list of the latest tokens", async () => {
  const latest = async (url: string) => (await fetch(`${url}/t/latest`)).json();
  expect((await (await Agent.signedIn(server)).launched("LISTED")).status).toBe("success");
  expect(await latest(server.url)).toMatchObject({ tokens: [{ ticker: "LISTED" }] });
  await using own = await startTestServer({ CONSOLE: "private" });
  expect((await (await Agent.signedIn(own)).launched("HIDDEN")).status).toBe("success");
  expect((await fetch(own.url, { headers: HTML })).status).toBe(200);
  expect(await latest(own.url)).toEqual({ tokens: [] });
});

test("with CONSOLE=off a browser finds nothing either", async () => {
  await using off = await startTestServer({ CONSOLE: "off" });
  expect((await fetch(off.url, { headers: HTML })).status).toBe(404);
});
