import { describe, expect, test } from "bun:test";
import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import * as fc from "fast-check";
import { type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import { ManualClock } from "../testing/manual-clock.ts";
import { BearerTokens } from "./bearer-tokens.ts";

const SECRET = new Uint8Array(32).fill(1);
const OTHER_SECRET = new Uint8Array(32).fill(2);
const LIFETIME_MS = TOKEN_LIFETIME_SECONDS * 1000;

const now = Math.floor(new ManualClock().now() / 1000);
const GOOD: JWTPayload = {
  sub: "agent",
  iss: "tokend",
  aud: "tokend-api",
  jti: "id",
  iat: now,
  exp: now + TOKEN_LIFETIME_SECONDS,
};

function sign(payload: JWTPayload, alg = "HS256", secret = SECRET): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg, typ: "JWT" }).sign(secret);
}

function without(claim: string): JWTPayload {
  const { [claim]: _, ...rest } = GOOD;
  return rest;
}

const setUp = () => {
  const clock = new ManualClock();
  return { clock, bearerTokens: new BearerTokens(clock, SECRET) };
};

test("a token names its wallet for 15 minutes", async () => {
  const { bearerTokens } = setUp();
  const token = await bearerTokens.issue("agent");
  const terms = { algorithms: ["HS256"], currentDate: new Date(now * 1000) };
  const { protectedHeader, payload } = await jwtVerify(token, SECRET, terms);
  expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  expect(payload).toEqual({
    ...GOOD,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    // The plugin takes `iat` from the machine's clock; no check uses its value.
    iat: expect.any(Number),
  });
  expect(await bearerTokens.verify(token)).toMatchObject({ wallet: "agent" });
  expect(await bearerTokens.issue("agent")).not.toBe(token);
});

describe("expiry", () => {
  test.each([
    ["new", false],
    ["remembered", true],
  ])("a %s token expires to the millisecond", async (_, known) => {
    const { clock, bearerTokens } = setUp();
    const token = await bearerTokens.issue("agent");
    if (known) await bearerTokens.verify(token);
    clock.advance(LIFETIME_MS - 1);
    expect(await new BearerTokens(clock, SECRET).verify(token)).toMatchObject({
      wallet: "agent",
    });
    if (known) expect(bearerTokens.recall(token)).toMatchObject({ wallet: "agent" });
    clock.advance(1);
    expect(bearerTokens.recall(token)).toBeUndefined();
    expect(await bearerTokens.verify(token)).toBeNull();
  });

  test("a token that is issued in the middle of a second lives no longer than 15 minutes", async () => {
    const { clock, bearerTokens } = setUp();
    clock.advance(999);
    const token = await bearerTokens.issue("agent");
    clock.advance(LIFETIME_MS);
    expect(await bearerTokens.verify(token)).toBeNull();
  });
});

describe("forgeries", () => {
  test("the token that the forgeries are made from is accepted", async () => {
    expect(await setUp().bearerTokens.verify(await sign(GOOD))).toMatchObject({ wallet: "agent" });
  });

  test.each([
    ["alg none", () => new UnsecuredJWT(GOOD).encode()],
    ["another secret", () => sign(GOOD, "HS256", OTHER_SECRET)],
    ["no exp", () => sign(without("exp"))],
    ["no sub", () => sign(without("sub"))],
    ["no iat", () => sign(without("iat"))],
    ["no jti", () => sign(without("jti"))],
    ["no issuer", () => sign(without("iss"))],
    ["no audience", () => sign(without("aud"))],
    ["another issuer", () => sign({ ...GOOD, iss: "other" })],
    ["another audience", () => sign({ ...GOOD, aud: "other" })],
    ["an exp that is a text", () => sign({ ...GOOD, exp: "9999999999" } as never)],
    ["a sub that is not a text", () => sign({ ...GOOD, sub: 5 } as never)],
    ["an nbf in the future", () => sign({ ...GOOD, nbf: now + 60 })],
    ["no characters", () => ""],
    ["two dots and nothing else", () => ".."],
    ["parts that are no JSON", () => "a.b.c"],
  ])("a token with %s is refused", async (_, forge) => {
    expect(await setUp().bearerTokens.verify(await forge())).toBeNull();
  });

  test("HS384 and HS512 with the server's own secret are refused", async () => {
    const secret = new Uint8Array(64).fill(3);
    const bearerTokens = new BearerTokens(new ManualClock(), secret);
    expect(await bearerTokens.verify(await sign(GOOD, "HS256", secret))).toMatchObject({
      wallet: "agent",
    });
    expect(await bearerTokens.verify(await sign(GOOD, "HS384", secret))).toBeNull();
    expect(await bearerTokens.verify(await sign(GOOD, "HS512", secret))).toBeNull();
  });

  test("a token with one changed character is refused", async () => {
    const { bearerTokens } = setUp();
    const token = await sign(GOOD);
    for (let place = 0; place < token.length; place++) {
      const character = token[place] === "A" ? "B" : "A";
      const changed = token.slice(0, place) + character + token.slice(place + 1);
      expect(await bearerTokens.verify(changed)).toBeNull();
    }
  });

  test("a signature has exactly one accepted encoding", async () => {
    const { bearerTokens } = setUp();
    const token = await sign(GOOD);
    const end = token.lastIndexOf(".") + 1;
    const bytes = Buffer.from(token.slice(end), "base64url");
    const unsigned = token.slice(0, end);
    for (const encoding of [unsigned, `${token}=`, `${token} `, `${token}\n`, `${token}é`]) {
      expect(await bearerTokens.verify(encoding)).toBeNull();
    }
    expect(await bearerTokens.verify(unsigned + bytes.toString("hex"))).toBeNull();
    // The last of 43 characters carries two bits that decode to nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const lastCharacters = [...alphabet].filter((last) =>
      Buffer.from(token.slice(end, -1) + last, "base64url").equals(bytes),
    );
    expect(lastCharacters).toHaveLength(4);
    const wallets = await Promise.all(
      lastCharacters.map((last) => bearerTokens.verify(token.slice(0, -1) + last)),
    );
    expect(wallets.filter((wallet) => wallet !== null)).toMatchObject([{ wallet: "agent" }]);
  });

  test.each([
    ["another algorithm", { alg: "none", typ: "JWT" }],
    ["another type", { alg: "HS256", typ: "JOSE" }],
    ["more to understand", { alg: "HS256", typ: "JWT", crit: ["b64"], b64: false }],
    ["a key to look up", { alg: "HS256", typ: "JWT", kid: "../../dev/null" }],
  ])("a header with %s is refused, correctly signed or not", async (_, header) => {
    const { bearerTokens } = setUp();
    const [, payload] = (await sign(GOOD)).split(".");
    const content = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}`;
    const mac = new Bun.CryptoHasher("sha256", SECRET).update(content).digest("base64url");
    expect(await bearerTokens.verify(`${content}.${mac}`)).toBeNull();
    expect(await bearerTokens.verify(`${content}.`)).toBeNull();
  });

  test("any other text is refused without an exception", async () => {
    const { bearerTokens } = setUp();
    const [header] = (await sign(GOOD)).split(".");
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.boolean(), async (text, hasHeader) => {
        expect(await bearerTokens.verify(hasHeader ? `${header}.${text}` : text)).toBeNull();
      }),
    );
  });
});

test("only verified tokens are remembered", async () => {
  const { bearerTokens } = setUp();
  const token = await bearerTokens.issue("agent");
  expect(bearerTokens.recall(token)).toBeUndefined();
  await bearerTokens.verify(token);
  expect(bearerTokens.recall(token)).toMatchObject({ wallet: "agent" });
  const forged = await sign(GOOD, "HS256", OTHER_SECRET);
  await bearerTokens.verify(forged);
  expect(bearerTokens.recall(forged)).toBeUndefined();
});
