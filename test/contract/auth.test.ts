import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ChallengeSchema, SessionSchema } from "@tokenctl/shared/contract/auth";
import { NONCE_LIFETIME_MS, TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import { nonceHost, signInMessage } from "@tokenctl/shared/sign-in";
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

  test("issues a nonce that names its server, even if another server relays it", async () => {
    await using relay = await startTestServer();
    const agent = new Agent(server);
    const victim = new Agent(relay, agent.keypair);
    const relayed = await agent.nonce();
    // The agent calls only the relay, and can see this before it signs.
    expect(nonceHost(relayed)).not.toBe(nonceHost(await victim.nonce()));
    // The real server refuses it under the relay's name.
    const renamed = relayed.replace(new URL(server.url).host, new URL(relay.url).host);
    expect((await agent.verify(renamed)).status).toBe(401);
    expect((await victim.verify(relayed)).status).toBe(401);
    expect((await agent.verify(relayed)).status).toBe(200);
  });

  test("issues a new nonce of at least 128 random bits each time", async () => {
    const agent = new Agent(server);
    const nonces = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const { status, body } = await agent.post("/api/auth/challenge", { wallet: agent.wallet });
      expect(status).toBe(200);
      nonces.add(expectShape(ChallengeSchema, body).nonce);
    }
    expect(nonces.size).toBe(20);
  });

  test.each([
    ["missing", {}],
    ["not a string", { wallet: 1 }],
    ["empty", { wallet: "" }],
    ["not base58", { wallet: "0OIl0OIl0OIl0OIl0OIl0OIl0OIl0OIl" }],
    ["31 bytes", { wallet: "1".repeat(31) }],
    ["33 bytes", { wallet: "1".repeat(33) }],
    ["10,000 characters", { wallet: "z".repeat(10_000) }],
    ["an array", ["wallet"]],
    ["null", null],
  ])("answers 400 to a wallet that is %s", async (_, json) => {
    const { status, body } = await new Agent(server).post("/api/auth/challenge", json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "Validation failed", details: [{}] });
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

  test("accepts a nonce until five minutes have passed, and not then", async () => {
    const agent = new Agent(server);
    const inTime = await agent.nonce();
    const late = await agent.nonce();
    server.clock.advance(NONCE_LIFETIME_MS - 1);
    expect((await agent.verify(inTime)).status).toBe(200);
    server.clock.advance(1);
    const { status, body } = await agent.verify(late);
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: "Invalid or expired nonce" });
  });

  test("uses up a nonce, even with a wrong signature", async () => {
    const agent = new Agent(server);
    const nonce = await agent.nonce();
    const wrong = await agent.verify(nonce, agent.sign("something else"));
    expect(wrong.status).toBe(401);
    expect(wrong.body).toMatchObject({ error: "Invalid signature" });
    const replayed = await agent.verify(nonce);
    expect(replayed.status).toBe(401);
    expect(replayed.body).toMatchObject({ error: "Invalid or expired nonce" });
  });

  test("refuses every nonce from before a restart, used or not", async () => {
    // Otherwise the nonce's host would change with the server's port.
    await using own = await startTestServer({ PUBLIC_URL: "https://tokens.example" });
    const agent = new Agent(own);
    const [used, unused] = [await agent.nonce(), await agent.nonce()];
    expect((await agent.verify(used)).status).toBe(200);
    await own.restart();
    for (const nonce of [used, unused]) {
      const { status, body } = await agent.verify(nonce);
      expect(status).toBe(401);
      expect(body).toMatchObject({ error: "Invalid or expired nonce" });
    }
    await agent.signIn();
  });

  test("refuses another wallet's nonce", async () => {
    const nonce = await new Agent(server).nonce();
    const { status, body } = await new Agent(server).verify(nonce);
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: "Invalid or expired nonce" });
  });

  test("refuses another wallet's signature", async () => {
    const agent = new Agent(server);
    const nonce = await agent.nonce();
    const { status } = await agent.verify(nonce, new Agent(server).sign(signInMessage(nonce)));
    expect(status).toBe(401);
  });

  test("refuses a wallet for which anyone can forge signatures", async () => {
    const agent = new Agent(server);
    const wallet = "1".repeat(32);
    const { body } = await agent.post("/api/auth/challenge", { wallet });
    const { nonce } = body as { nonce: string };
    const signature = "1".repeat(64);
    const { status } = await agent.post("/api/auth/verify", { wallet, nonce, signature });
    expect(status).toBe(401);
  });

  test("issues one token to 50 simultaneous requests with one nonce", async () => {
    const agent = new Agent(server);
    const nonce = await agent.nonce();
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.verify(nonce)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(49).fill(401)]);
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

  test("is accepted until 15 minutes have passed, and not then", async () => {
    const agent = await Agent.signedIn(server);
    const { exp = 0 } = decodeJwt(agent.token);
    server.clock.set(exp * 1000 - 1);
    expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
    server.clock.set(exp * 1000);
    const { status, body } = await agent.get("/api/v1/tokens/");
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: "Invalid or expired token" });
  });
});
