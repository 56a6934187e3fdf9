import { expect, test } from "bun:test";
import { proxyBefore } from "./proxy.ts";
import { serveApi } from "./testing/api.ts";
import { finish, spawn } from "./testing/cli.ts";

const well = { ok: true, db: "connected", timestamp: "now" };
const PROXY = "http://user:secret@127.0.0.1:9";

test.each(["HTTP_PROXY", "http_proxy"])(
  "with %s a server on this machine is reached directly",
  async (name) => {
    await using api = serveApi({ "GET /health": () => well });
    for (const host of ["127.0.0.1", "localhost"]) {
      const url = api.url.replace("127.0.0.1", host);
      const done = await finish(spawn(["health", "--json", "--api-url", url], { [name]: PROXY }));
      expect(done).toMatchObject({ stderr: "", exitCode: 0 });
    }
  },
);

test("a proxy that fails is named, without its password", async () => {
  const env = { HTTP_PROXY: PROXY };
  const args = ["health", "--api-url", "http://tokens.example"];
  const { stderr, exitCode } = await finish(spawn(args, env));
  expect(exitCode).toBe(6);
  expect(stderr).toMatch(
    /^error: Cannot reach http:\/\/tokens\.example.*, through the proxy http:\/\/127\.0\.0\.1:9 of HTTP_PROXY\nhint: Check that the proxy runs/,
  );
  expect(stderr).not.toContain("secret");
});

test("a proxy that answers itself is named", async () => {
  await using server = Bun.serve({
    port: 0,
    fetch: () => new Response("<html>Bad gateway</html>", { status: 502 }),
  });
  const env = { HTTP_PROXY: server.url.origin };
  const { stderr } = await finish(spawn(["health", "--api-url", "http://tokens.example"], env));
  expect(stderr).toContain(`through the proxy ${server.url.origin} of HTTP_PROXY`);
});

test.each([
  ["https://a.example", { HTTPS_PROXY: "http://p:1" }, "HTTPS_PROXY"],
  ["https://a.example", { https_proxy: "http://p:1", HTTPS_PROXY: "http://q:1" }, "https_proxy"],
  ["https://a.example", { HTTP_PROXY: "http://p:1" }, undefined],
  ["https://a.example", { HTTPS_PROXY: "http://p:1", NO_PROXY: "b.example, a.example" }, undefined],
  ["https://x.a.example", { HTTPS_PROXY: "http://p:1", no_proxy: ".a.example" }, undefined],
  ["https://xa.example", { HTTPS_PROXY: "http://p:1", no_proxy: "a.example" }, "HTTPS_PROXY"],
  ["https://a.example:8", { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.example:8" }, undefined],
  ["https://a.example", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
  ["http://[::1]:1", { HTTP_PROXY: "http://p:1" }, undefined],
  ["nonsense", { HTTP_PROXY: "http://p:1" }, undefined],
] as const)("of %s with %j the proxy's variable is %p", (url, env, name) => {
  expect(proxyBefore(url, env)?.name).toBe(name as string);
});
