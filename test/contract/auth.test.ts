import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SessionSchema } from "@tokenctl/shared/contract/auth";
import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import { nonceHost } from "@tokenctl/shared/sign-in";
import { decodeJwt } from "jose";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("POST /api/auth/challenge", () => {
  test("issues a nonce that carries the host at which clients reach the server", async () => {
    const agent = new Agent(server);
    expect(nonceHost(await agent.nonce())).toBe(new URL(server.url).host);
    await using proxied = await startTestServer({
      PUBLIC_URL: "https://User:Pass@Tokens.Example:443/base/",
    });
    expect(nonceHost(await new Agent(proxied).nonce())).toBe("tokens.example");
  });
});

describe("POST /api/auth/verify", () => {
  test("issues a token for 15 minutes", async () => {
    const agent = new Agent(server);
    const { status, body } = await agent.verify(await agent.nonce());
    expect(status).toBe(200);
    const { token } = expectShape(SessionSchema, body);
    const { sub, iat, exp, jti } = decodeJwt(token);
    expect(sub).toBe(agent.wallet);
    expect(exp).toBe(Math.floor(server.clock.now() / 1000) + TOKEN_LIFETIME_SECONDS);
    expect(iat).toBeNumber();
    expect(jti).toBeString();
  });
});

describe("a bearer token", () => {
  const protectedRoutes = [
    ["POST", "/api/v1/tokens/launch"],
    ["GET", "/api/v1/tokens/launch/status/00000000-0000-4000-8000-000000000000"],
    ["POST", "/api/v1/tokens/launch/00000000-0000-4000-8000-000000000000/retry"],
    ["GET", "/api/v1/tokens/"],
    ["GET", "/api/v1/tokens"],
    ["GET", "/api/v1/tokens/11111111111111111111111111111111"],
    ["GET", "/api/v1/tokens/claims"],
    ["POST", "/api/v1/tokens/claims"],
    ["POST", "/api/v1/tokens/claims/11111111111111111111111111111111"],
    ["POST", "/dev/airdrop"],
    ["POST", "/dev/trade"],
    ["POST", "/dev/graduate"],
  ] as const;

  test.each(protectedRoutes)("is required by %s %s", async (method, path) => {
    for (const authorization of [undefined, "", "Bearer", "Bearer ", "Basic dTpw", "Bearer a b"]) {
      const response = await fetch(server.url + path, {
        method,
        headers: authorization === undefined ? {} : { authorization },
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        error: "Missing or invalid authorization header",
        code: "missing_authorization",
      });
    }
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: "Bearer not.a.token" },
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: "Invalid or expired token" });
  });
});
