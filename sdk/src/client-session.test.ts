import { beforeEach, describe, expect, test } from "bun:test";
import { agent } from "../test/claim-transactions.ts";
import {
  fault,
  mintAddress,
  ok,
  refusal,
  thrown,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import { TokenctlClient } from "./client.ts";
import { SignerError } from "./errors.ts";

const scripted = useScriptedServer();
const { client } = scripted;

describe("the session", () => {
  beforeEach(() => scripted.server.script("/api/v1/tokens/", ok({ tokens: [] })));
  const logins = () => scripted.server.to("/api/auth/verify").length;

  test("the token of an earlier sign-in is used until it is refused", async () => {
    const { token } = await client().login();
    const resumed = client({ token });
    await resumed.tokens();
    expect(logins()).toBe(1);
    scripted.server.script("/api/v1/tokens/", fault(401, "Invalid or expired token"));
    await thrown(resumed.tokens());
    expect(logins()).toBe(2);
  });

  test("a token alone serves calls that sign nothing, until it is refused", async () => {
    const [, payload = ""] = (await client().login()).token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const wallet = agent.publicKey.toBase58();
    const token = `e30.${Buffer.from(JSON.stringify({ ...claims, sub: wallet })).toString("base64url")}.e30`;
    const resumed = new TokenctlClient({ apiUrl: scripted.server.url, token });
    expect(resumed.address).toBe(wallet);
    expect(await resumed.tokens()).toEqual({ tokens: [] });
    expect((await thrown(resumed.claim(mintAddress))).code).toBe("signer_required");
    scripted.server.script("/api/v1/tokens/", refusal("invalid_token"));
    expect((await thrown(resumed.tokens())).code).toBe("invalid_token");
    expect(logins()).toBe(1);
  });

  test("calls at the same time share one sign-in", async () => {
    const c = client();
    await Promise.all([c.login(), ...Array.from({ length: 10 }, () => c.tokens())]);
    expect(logins()).toBe(1);
    await c.login();
    expect(logins()).toBe(2);
  });

  test("a refused token is renewed once for each call, and once for calls at the same time", async () => {
    const c = client();
    await c.tokens();
    const old = scripted.server.seen.at(-1)?.headers.authorization;
    scripted.server.script("/api/v1/tokens/", (request) =>
      request.headers.authorization === old
        ? fault(401, "Invalid or expired token")
        : ok({ tokens: [] }),
    );
    await Promise.all([c.tokens(), c.tokens(), c.tokens()]);
    expect(logins()).toBe(2);
  });

  test("a server that refuses every token is asked only twice", async () => {
    scripted.server.script("/api/v1/tokens/", fault(401, "Invalid or expired token"));
    const error = await thrown(client().tokens());
    expect(error).toMatchObject({ code: "api_error", status: 401, requestId: "req-1" });
    expect(scripted.server.to("/api/v1/tokens/")).toHaveLength(2);
    expect(logins()).toBe(2);
  });

  test("a refused sign-in is final", async () => {
    scripted.server.script("/api/auth/verify", refusal("invalid_signature"));
    const error = await thrown(client().tokens());
    expect(error).toMatchObject({ name: "AuthenticationError", code: "invalid_signature" });
    expect(scripted.server.seen).toHaveLength(2);
  });

  test("a nonce that another server has issued is not signed", async () => {
    const nonce = `tokens.example/${"n".repeat(22)}`;
    scripted.server.script("/api/auth/challenge", ok({ nonce }));
    const error = await thrown(client().login());
    expect(error).toMatchObject({
      code: "nonce_refused",
      message: expect.stringContaining("names itself tokens.example"),
    });
    expect(scripted.server.seen).toHaveLength(1);
  });

  test("a lost answer to verify makes the client ask for a new challenge", async () => {
    scripted.server.script(
      "/api/auth/verify",
      "hang up",
      fault(503, "Busy"),
      ok({ token: "opaque" }),
    );
    await client().tokens();
    const nonces = scripted.server
      .to("/api/auth/verify")
      .map(({ body }) => (body as { nonce: string }).nonce);
    expect(nonces).toEqual([1, 2, 3].map(scripted.server.nonce));
  });

  test("an abort ends the sign-in that a refused token made necessary", async () => {
    const abort = new AbortController();
    scripted.server.script("/api/v1/tokens/", fault(401, "Invalid or expired token"));
    scripted.server.script("/api/auth/verify", ok({ token: "opaque" }), () => {
      abort.abort();
      return "hang";
    });
    const error = await thrown(client().tokens({ signal: abort.signal }));
    expect(error).toMatchObject({ name: "AbortError" });
  });

  test("a signer that fails throws another error than a server that refuses", async () => {
    const locked = {
      publicKey: agent.publicKey.toBase58(),
      signMessage: () => Promise.reject(new Error("locked")),
      signTransaction: () => Promise.reject(new Error("locked")),
    };
    const error = await thrown(client({ signer: locked }).tokens());
    expect(error).toBeInstanceOf(SignerError);
    expect(error.cause).toEqual(new Error("locked"));
    const short = { ...locked, signMessage: () => new Uint8Array(63) };
    expect((await thrown(client({ signer: short }).tokens())).message).toContain("63 bytes");
  });
});
