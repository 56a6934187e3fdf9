import { expect, test } from "bun:test";
import { join } from "node:path";
import { refuse, serveApi } from "./testing/api.ts";
import { run, tempDir, temporaryWallet } from "./testing/cli.ts";

const health = (url: string) => run(["health", "--api-url", url]);

test("https to a server that speaks http: the hint is to write http", async () => {
  await using api = serveApi({});
  const { stderr, exitCode } = await health(api.url.replace("http:", "https:"));
  expect(exitCode).toBe(6);
  expect(stderr).toContain(
    "it does not speak TLS there\nhint: Use http:// instead of https:// in --api-url",
  );
});

test.each([
  ["http", "hint: If the server speaks TLS there, use https:// in --api-url"],
  ["https", ": its certificate is not trusted\nhint: Check --api-url; otherwise"],
])(
  "%s to a server with a certificate that is not trusted says what is wrong",
  async (scheme, said) => {
    using folder = tempDir();
    const [key, cert] = [join(folder.path, "key.pem"), join(folder.path, "cert.pem")];
    Bun.spawnSync([
      ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"],
      ...["-keyout", key, "-out", cert, "-subj", "/CN=127.0.0.1", "-days", "2"],
    ]);
    const tls = { key: Bun.file(key), cert: Bun.file(cert) };
    await using server = Bun.serve({ port: 0, tls, fetch: () => new Response() });
    const { stderr, exitCode } = await health(`${scheme}://127.0.0.1:${server.port}`);
    expect(exitCode).toBe(6);
    expect(stderr).toContain(said);
  },
);

test("a path in --api-url is named if nothing is found there", async () => {
  await using api = serveApi({});
  const { stderr, exitCode } = await health(`${api.url}/service`);
  expect(exitCode).toBe(4);
  expect(stderr).toBe(`error: Not found\nhint: Omit the path from --api-url: ${api.url}\n`);
});

test.each(["launches", "balance", "cancel 9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c"])(
  "a path in --api-url is no older server for `%s`",
  async (line) => {
    await using api = serveApi({});
    using wallet = temporaryWallet();
    const args = [...line.split(" "), "--api-url", `${api.url}/service`, "-k", wallet.keypair];
    const { stderr, exitCode } = await run(args);
    expect(exitCode).toBe(4);
    expect(stderr).toBe(`error: Not found\nhint: Omit the path from --api-url: ${api.url}\n`);
  },
);

test("a path in --api-url is left alone if the server's answers come from there", async () => {
  const well = { ok: true, db: "connected", timestamp: "now" };
  await using api = serveApi({ "GET /launches/health": () => well });
  expect((await health(`${api.url}/launches`)).exitCode).toBe(0);
});

test.each([
  [400, "<html>The plain HTTP request was sent to HTTPS port</html>"],
  [403, '{"message":"Forbidden"}'],
  [404, "<html>nginx</html>"],
  // A file server answers a POST with this status.
  [501, "<html>Unsupported method</html>"],
])("an answer %d of a server that is no tokend is said to be none", async (status, body) => {
  await using api = serveApi({ "GET /health": () => new Response(body, { status }) });
  const { stderr } = await health(api.url);
  expect(stderr).toContain("hint: The answer is not from a tokend server: check --api-url");
  expect(stderr).not.toContain("dev");
});

test.each([
  [200, "text/html", "<html>Welcome</html>"],
  [200, "application/json", '{"status":"ok"}'],
  [204, "text/plain", null],
  [400, "application/json", '{"error":"Bad request"}'],
  [401, "application/json", '{"error":"Unauthorized"}'],
  [404, "application/json", '{"error":"Not found"}'],
  [405, "application/json", '{"error":"Method not allowed"}'],
] as const)("a server of another kind is recognized by its answer %d of %s", async (...answer) => {
  const [status, type, body] = answer;
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(body, { status, headers: { "content-type": type } }),
  });
  using wallet = temporaryWallet();
  for (const command of ["health", "tokens", "balance"]) {
    const { stderr, exitCode } = await run([
      ...[command, "--api-url", server.url.origin, "-k", wallet.keypair],
    ]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("hint: The answer is not from a tokend server: check --api-url");
  }
});

test("a gateway's 502 and a tokend's own 404 keep their hints", async () => {
  await using api = serveApi({ "GET /health": () => new Response("<html>", { status: 502 }) });
  expect((await health(api.url)).stderr).not.toContain("no tokend");
  await using old = serveApi({ "GET /health": () => refuse(404, "Not found") });
  expect((await health(old.url)).stderr).not.toContain("not of a tokend");
});
