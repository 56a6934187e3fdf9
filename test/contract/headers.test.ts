import { afterAll, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { listen } from "../../server/src/testing/listen.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer({ METRICS_PORT: "0" });
const agent = await Agent.signedIn(server);
await agent.launched("HEAD");
afterAll(() => server[Symbol.asyncDispose]());

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(server.url + path, init);
  await response.arrayBuffer();
  return response;
}

const signedIn = () => ({ headers: { authorization: `Bearer ${agent.token}` } });
const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

test("every answer forbids browsers to guess its type and caches to keep it", async () => {
  const rpc = { jsonrpc: "2.0", id: 1, method: "getHealth" };
  const wallet = Keypair.generate().publicKey.toBase58();
  const asked: [status: number, answer: Promise<Response>][] = [
    [200, ask("/health")],
    [200, ask("/health", { method: "HEAD" })],
    [200, ask("/api/auth/challenge", json({ wallet }))],
    [400, ask("/api/auth/challenge", json({}))],
    [401, ask("/api/v1/tokens/")],
    [200, ask("/api/v1/tokens/", signedIn())],
    [200, ask("/api/v1/tokens/claims", signedIn())],
    [404, ask("/api/v1/tokens/nothing", signedIn())],
    [405, ask("/api/v1/tokens/launch", { method: "DELETE" })],
    [413, ask("/api/auth/verify", json("x".repeat(100_000)))],
    [404, ask("/nowhere")],
    [404, ask("/metadata/nothing.json")],
    [200, ask("/openapi")],
    [200, ask("/openapi/json")],
    [200, ask("/dev/rpc", json(rpc))],
  ];
  for (const [wanted, answer] of asked) {
    const { url, status, headers } = await answer;
    expect([url, status]).toEqual([url, wanted]);
    expect([url, headers.get("x-content-type-options")]).toEqual([url, "nosniff"]);
    expect([url, headers.get("cache-control")]).toEqual([url, "no-store"]);
  }
});

test("the answer of Bun for an app that throws has the same headers", async () => {
  const app = {
    server: null,
    fetch: () => {
      throw new Error("boom");
    },
  };
  const broken = listen(app, { hostname: "127.0.0.1", port: 0 });
  const { status, headers } = await fetch(broken.url);
  await broken.stop(true);
  expect(status).toBe(500);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("no-store");
});

test("the metrics' answers have the same headers", async () => {
  for (const path of ["/metrics", "/nowhere"]) {
    const { headers } = await fetch(new URL(path, server.metricsUrl ?? ""));
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

/** @returns the sources of a page's content security policy, by directive */
async function policyOf(path: string): Promise<Map<string, string[]>> {
  const { headers } = await ask(path);
  const directives = (headers.get("content-security-policy") ?? "").split("; ");
  return new Map(
    directives.map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources];
    }),
  );
}

test("the page at /openapi may run its viewer and load nothing from elsewhere", async () => {
  const loadedBy = (address: string, text: string) =>
    Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, source = ""]) => source)
      .filter((source) => source !== "data:,")
      .map((source) => new URL(source, address).href);
  let page = "";
  for (const address of [`${server.url}/openapi/`, `${server.url}/openapi`]) {
    page = await (await fetch(address)).text();
    expect(loadedBy(address, page)).toEqual(
      ["viewer.css", "viewer.js", "start.js"].map((name) => `${server.url}/openapi/${name}`),
    );
  }
  const policy = await policyOf("/openapi");
  expect(policy.get("default-src")).toEqual(["'none'"]);
  expect(policy.get("script-src")).toEqual(["'self'"]);
  expect(policy.get("connect-src")).toEqual(["'self'"]);
  for (const directive of ["base-uri", "form-action", "frame-ancestors"]) {
    expect(policy.get(directive)).toEqual(["'none'"]);
  }
  expect([...policy.values()].flat().filter((source) => /https?:|\*/.test(source))).toEqual([]);
  expect(page).not.toMatch(/<script>|<script [^>]*>[^<]| on[a-z]+=|javascript:/i);
});

test("the viewer's files are whole, compressed for clients that ask for it, and may be cached", async () => {
  const types = {
    "viewer.js": "text/javascript",
    "viewer.css": "text/css",
    "start.js": "text/javascript",
  };
  for (const [name, type] of Object.entries(types)) {
    const url = `${server.url}/openapi/${name}`;
    const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
    const zipped = await fetch(url, { headers: { "accept-encoding": "gzip" }, decompress: false });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    for (const { headers } of [plain, zipped]) {
      expect(headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      expect(headers.get("cache-control")).toBe("public, max-age=3600");
      expect(headers.get("vary")).toBe("Accept-Encoding");
    }
    const unzipped = Bun.gunzipSync(await zipped.arrayBuffer());
    expect(Bun.hash(unzipped)).toBe(Bun.hash(await plain.bytes()));
  }
  expect((await ask("/openapi/constructor")).status).toBe(404);
});
