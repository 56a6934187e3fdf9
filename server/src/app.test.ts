import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { newAttempt } from "./store/testing/rows.ts";
import { insertLaunch, lease } from "./testing/launches.ts";
import { NO_SANDBOX, testApp } from "./testing/test-app.ts";

const MINT = "So11111111111111111111111111111111111111112";

/** The routes that need no bearer token. */
const PUBLIC = [
  "GET /health",
  "GET /ready",
  "POST /api/auth/challenge",
  "POST /api/auth/verify",
  "GET /skill.md",
  "GET /references/:file",
  "GET /llms.txt",
  "GET /.well-known/security.txt",
  "GET /metadata/:file",
  "GET /public/tokens/:mintAddress",
  "GET /public/tokens/:mintAddress/market",
  "GET /public/tokens/:mintAddress/proof",
  "GET /public/markets",
  "GET /images/:file",
  "GET /openapi/json",
  "POST /dev/rpc",
];

const app = await testApp(NO_SANDBOX);
afterAll(() => app[Symbol.dispose]());

const routes = () => app.app.routes.map(({ method, path }) => `${method} ${path}`);

/** Returns the answer, after checking its request id and the shape of an error body. */
async function answer(sent: Promise<Response>) {
  const response = await sent;
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) expect([...Value.Errors(ErrorBodySchema, body)]).toEqual([]);
  return { status: response.status, body, headers: response.headers };
}

test("every route that is not public asks for a token before anything else", async () => {
  for (const route of routes().filter((name) => !PUBLIC.includes(name))) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replaceAll(/:\w+/g, "x");
    const { status, body } = await answer(app.send(method, path, { wallet: null }));
    expect([route, status, body]).toEqual([
      route,
      401,
      { error: "Missing or invalid authorization header", code: "missing_authorization" },
    ]);
  }
});

describe("the authorization header", () => {
  test.each([
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Token abc",
    "Bearer a b",
    "Bearer a,Bearer b",
    "Bearer ä",
    `Bearer ${"a".repeat(3_000)}`,
  ])("%j is answered as missing or invalid", async (authorization) => {
    const headers = { authorization };
    const { status, body } = await answer(
      app.send("GET", "/api/v1/tokens", { wallet: null, headers }),
    );
    expect(status).toBe(401);
    expect(body).toEqual({
      error: "Missing or invalid authorization header",
      code: "missing_authorization",
    });
  });

  test.each(["Bearer x", "bearer a.b.c", "Bearer   a.b.c  "])(
    "%j is answered as a bad token",
    async (authorization) => {
      const headers = { authorization };
      const { status, body } = await answer(
        app.send("GET", "/api/v1/tokens", { wallet: null, headers }),
      );
      expect(status).toBe(401);
      expect(body).toEqual({ error: "Invalid or expired token", code: "invalid_token" });
    },
  );

  test.each(["bearer", "BEARER", "Bearer  "])("the scheme %j is accepted", async (scheme) => {
    const headers = { authorization: `${scheme} ${await app.bearerTokens.issue("agent")}` };
    const { status } = await answer(app.send("GET", "/api/v1/tokens", { wallet: null, headers }));
    expect(status).toBe(200);
  });
});

describe("paths", () => {
  test.each([
    ["/health", { ok: true }],
    ["/api/v1/tokens", { tokens: [] }],
    ["/api/v1/tokens/claims", { claims: [] }],
  ])("GET %s is answered with a slash at its end and without", async (path, body) => {
    app.chain.readFees = async () => [];
    for (const written of [path, `${path}/`]) {
      expect(await answer(app.send("GET", written))).toMatchObject({ status: 200, body });
    }
  });

  test.each(["/api/v1/tokens/launch", "/api/v1/tokens/claims", "/api/auth/challenge"])(
    "POST %s is answered with a slash at its end and without",
    async (path) => {
      const [bare, slashed] = await Promise.all([
        answer(app.send("POST", path, { json: [] })),
        answer(app.send("POST", `${path}/`, { json: [] })),
      ]);
      expect(bare.status).toBe(400);
      expect(slashed.body).toEqual(bare.body);
    },
  );

  test("a claim without a mint is refused in these words, with and without a body", async () => {
    for (const options of [{}, { json: {} }, { json: { signedTransaction: "AA==" } }]) {
      expect(await answer(app.send("POST", "/api/v1/tokens/claims/", options))).toMatchObject({
        status: 400,
        body: { error: "Mint address is required", code: "mint_required" },
      });
    }
  });

  test.each([
    "/api/v1/tokens/%",
    "/api/v1/tokens/%zz",
    "/api/v1/tokens/%E0%A4%A",
    "/api/v1/tokens/..%2f..%2fetc%2fpasswd",
    "/api/v1/tokens/launch/status/%",
    "/api/v1/tokens/launch/status/%ff",
    "/metadata/%.json",
    "/metadata/%2e%2e%2fjwt.secret",
    "/%",
    "//health",
    "/nowhere",
    "/api/v1/tokens/launch/status",
    "/api/v1/tokens/launch/status/",
  ])("GET %s is answered 404 in the contract's shape", async (path) => {
    expect((await answer(app.send("GET", path))).status).toBe(404);
  });

  test.each([
    ["/api/v1/tokens/%00", "path"],
    ["/api/v1/tokens/launch/status/a%00b", "path"],
    ["/api/v1/tokens/claims/history?limit=5&token=%00", "token"],
  ])("U+0000 in %s is refused, and the field is named", async (path, field) => {
    expect(await answer(app.send("GET", path))).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details: [{ field, message: "must not hold U+0000" }] },
    });
  });

  test("a path that is longer than any is answered 404 without a search for its methods", async () => {
    const search = spyOn(URLPattern.prototype, "test");
    const { status, body } = await answer(app.send("POST", `/t/${"x".repeat(15_000)}`));
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect(search).not.toHaveBeenCalled();
    search.mockRestore();
  });

  test("a known path with another method is answered 405 with the methods that it has", async () => {
    const table = new Map<string, string[]>();
    for (const { method, path } of app.app.routes) {
      table.set(path, [
        ...(table.get(path) ?? []),
        ...(method === "GET" ? ["GET", "HEAD"] : [method]),
      ]);
    }
    expect(table.size).toBeGreaterThan(15);
    for (const [pattern, own] of table) {
      const path = pattern.replaceAll(/:\w+/g, "x");
      for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "GET", "POST"]) {
        if (own.includes(method)) continue;
        for (const written of [path, path.endsWith("/") ? path.slice(0, -1) : `${path}/`]) {
          const { status, body, headers } = await answer(app.send(method, written));
          expect([method, written, status]).toEqual([method, written, 405]);
          expect(headers.get("allow")?.split(", ").toSorted()).toEqual(own.toSorted());
          expect(body).toEqual({
            error: "Method not allowed",
            code: "method_not_allowed",
            message: `This endpoint answers ${headers.get("allow")?.replaceAll(", ", " and ")}.`,
          });
        }
      }
    }
  });

  test("an unknown path is answered 404, whatever the method", async () => {
    for (const method of ["GET", "POST", "PUT", "OPTIONS", "PROPFIND"]) {
      for (const path of ["/nowhere", "/", "/health//", "/api/v1/tokens/a/b", "/openapi/x"]) {
        const { status, body, headers } = await answer(app.send(method, path));
        expect([status, body.error]).toEqual([404, "Not found"]);
        expect(headers.get("allow")).toBeNull();
      }
    }
  });

  test("HEAD of a path without GET is answered 405", async () => {
    const response = await app.send("HEAD", "/api/auth/challenge");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test("HEAD answers as GET does, without its body", async () => {
    for (const [path, status] of [
      ["/health", 200],
      ["/api/v1/tokens/x", 404],
      ["/nowhere", 404],
    ] as const) {
      const response = await app.send("HEAD", path);
      expect(response.status).toBe(status);
      expect(response.headers.get("x-request-id")).not.toBeNull();
    }
    expect((await app.send("HEAD", "/api/v1/tokens", { wallet: null })).status).toBe(401);
  });
});

test("a metadata document may be cached permanently only after its token is on chain", async () => {
  using own = await testApp();
  const read = async () => {
    const { headers } = await answer(own.send("GET", `/metadata/${MINT}.json`, { wallet: null }));
    return headers.get("cache-control");
  };
  expect(await read()).toBe("no-store");
  const eventId = await insertLaunch(own, "ONE");
  const launch = await lease(own, "holder");
  if (!launch) throw new Error("no launch");
  const attempt = { ...newAttempt("ONE"), tokenMint: MINT };
  await own.store.launches.recordAttempt(eventId, "holder", attempt);
  expect(await read()).toBe("public, max-age=30");
  await own.store.launches.succeed(launch, { leaseId: "holder" }, attempt);
  expect(await read()).toBe("public, max-age=31536000, immutable");
});
