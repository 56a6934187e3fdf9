import { afterAll, describe, expect, test } from "bun:test";
import { nonceHost } from "@tokenctl/shared/sign-in";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer();
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
