import { describe, expect, test } from "bun:test";
import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import * as fc from "fast-check";
import { type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import { ManualClock } from "../../testing/manual-clock.ts";
import { Sessions } from "./sessions.ts";

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

const setUp = (previous: Uint8Array[] = []) => {
  const clock = new ManualClock();
  return { clock, sessions: new Sessions(clock, [SECRET, ...previous]) };
};

test("a token names its wallet for 15 minutes", async () => {
  const { sessions } = setUp();
  const token = await sessions.issue("agent");
  const terms = { algorithms: ["HS256"], currentDate: new Date(now * 1000) };
  const { protectedHeader, payload } = await jwtVerify(token, SECRET, terms);
  expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  expect(payload).toEqual({
    ...GOOD,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    // The plugin takes it from the machine's clock; no check uses its value.
    iat: expect.any(Number),
  });
  expect(await sessions.verify(token)).toBe("agent");
  expect(await sessions.issue("agent")).not.toBe(token);
});

describe("expiry", () => {
  test.each([
    ["new", false],
    ["remembered", true],
  ])("a %s token expires to the millisecond", async (_, known) => {
    const { clock, sessions } = setUp();
    const token = await sessions.issue("agent");
    if (known) await sessions.verify(token);
    clock.advance(LIFETIME_MS - 1);
    expect(await new Sessions(clock, [SECRET]).verify(token)).toBe("agent");
    if (known) expect(sessions.recall(token)).toBe("agent");
    clock.advance(1);
    expect(sessions.recall(token)).toBeUndefined();
    expect(await sessions.verify(token)).toBeNull();
  });

  test("a clock that is set back by more than a minute ends the tokens issued before", async () => {
    const { clock, sessions } = setUp();
    const token = await sessions.issue("agent");
    await sessions.verify(token);
    clock.advance(-60_000);
    expect(sessions.recall(token)).toBe("agent");
    expect(await new Sessions(clock, [SECRET]).verify(token)).toBe("agent");
    clock.advance(-1);
    expect(sessions.recall(token)).toBeUndefined();
    expect(await sessions.verify(token)).toBeNull();
    expect(await sessions.verify(await sessions.issue("agent"))).toBe("agent");
  });

  test("a token that is issued in the middle of a second lives no longer than 15 minutes", async () => {
    const { clock, sessions } = setUp();
    clock.advance(999);
    const token = await sessions.issue("agent");
    clock.advance(LIFETIME_MS);
    expect(await sessions.verify(token)).toBeNull();
  });
});

describe("forgeries", () => {
  test("the token that the forgeries are made from is accepted", async () => {
    expect(await setUp().sessions.verify(await sign(GOOD))).toBe("agent");
  });

  test.each([
    ["alg none", () => new UnsecuredJWT(GOOD).encode()],
    ["HS384", () => sign(GOOD, "HS384", new Uint8Array(64).fill(1))],
    ["HS512", () => sign(GOOD, "HS512", new Uint8Array(64).fill(1))],
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
    expect(await setUp().sessions.verify(await forge())).toBeNull();
  });

  test("HS384 and HS512 with the server's own secret are refused", async () => {
    const secret = new Uint8Array(64).fill(3);
    const sessions = new Sessions(new ManualClock(), [secret]);
    expect(await sessions.verify(await sign(GOOD, "HS256", secret))).toBe("agent");
    expect(await sessions.verify(await sign(GOOD, "HS384", secret))).toBeNull();
    expect(await sessions.verify(await sign(GOOD, "HS512", secret))).toBeNull();
  });

  test("a token with one changed character is refused", async () => {
    const { sessions } = setUp();
    const token = await sign(GOOD);
    for (let place = 0; place < token.length; place++) {
      const character = token[place] === "A" ? "B" : "A";
      const changed = token.slice(0, place) + character + token.slice(place + 1);
      expect(await sessions.verify(changed)).toBeNull();
    }
  });

  test("a signature has exactly one accepted encoding", async () => {
    const { sessions } = setUp();
    const token = await sign(GOOD);
    const end = token.lastIndexOf(".") + 1;
    const bytes = Buffer.from(token.slice(end), "base64url");
    const unsigned = token.slice(0, end);
    for (const encoding of [unsigned, `${token}=`, `${token} `, `${token}\n`, `${token}é`]) {
      expect(await sessions.verify(encoding)).toBeNull();
    }
    expect(await sessions.verify(unsigned + bytes.toString("hex"))).toBeNull();
    // The last of 43 characters carries two bits that decode to nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const lastCharacters = [...alphabet].filter((last) =>
      Buffer.from(token.slice(end, -1) + last, "base64url").equals(bytes),
    );
    expect(lastCharacters).toHaveLength(4);
    const wallets = await Promise.all(
      lastCharacters.map((last) => sessions.verify(token.slice(0, -1) + last)),
    );
    expect(wallets.filter((wallet) => wallet !== null)).toEqual(["agent"]);
  });

  test.each([
    ["another algorithm", { alg: "none", typ: "JWT" }],
    ["another type", { alg: "HS256", typ: "JOSE" }],
    ["more to understand", { alg: "HS256", typ: "JWT", crit: ["b64"], b64: false }],
    ["a key to look up", { alg: "HS256", typ: "JWT", kid: "../../dev/null" }],
  ])("a header with %s is refused, correctly signed or not", async (_, header) => {
    const { sessions } = setUp();
    const [, payload] = (await sign(GOOD)).split(".");
    const content = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}`;
    const mac = new Bun.CryptoHasher("sha256", SECRET).update(content).digest("base64url");
    expect(await sessions.verify(`${content}.${mac}`)).toBeNull();
    expect(await sessions.verify(`${content}.`)).toBeNull();
  });

  test("any other text is refused without an exception", async () => {
    const { sessions } = setUp();
    const [header] = (await sign(GOOD)).split(".");
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.boolean(), async (text, hasHeader) => {
        expect(await sessions.verify(hasHeader ? `${header}.${text}` : text)).toBeNull();
      }),
    );
  });
});

describe("rotation", () => {
  test("tokens of a previous secret stay valid, and new tokens are signed with the new secret", async () => {
    const old = await sign(GOOD, "HS256", OTHER_SECRET);
    const { sessions } = setUp([OTHER_SECRET]);
    expect(await sessions.verify(old)).toBe("agent");
    expect(await setUp().sessions.verify(await sessions.issue("agent"))).toBe("agent");
    expect(await setUp().sessions.verify(old)).toBeNull();
  });
});

describe("memory", () => {
  test("only verified tokens are remembered", async () => {
    const { sessions } = setUp();
    const token = await sessions.issue("agent");
    expect(sessions.recall(token)).toBeUndefined();
    await sessions.verify(token);
    expect(sessions.recall(token)).toBe("agent");
    const forged = await sign(GOOD, "HS256", OTHER_SECRET);
    await sessions.verify(forged);
    expect(sessions.recall(forged)).toBeUndefined();
  });

  test("the memory is bounded, and a forgotten token stays valid", async () => {
    const sessions = new Sessions(new ManualClock(), [SECRET], { capacity: 2 });
    const tokens: string[] = [];
    for (let count = 0; count < 3; count++) {
      const token = await sessions.issue("agent");
      await sessions.verify(token);
      tokens.push(token);
    }
    expect(tokens.map((token) => sessions.recall(token))).toEqual([undefined, "agent", "agent"]);
    expect(await sessions.verify(tokens[0] ?? "")).toBe("agent");
    expect(tokens.map((token) => sessions.recall(token))).toEqual(["agent", undefined, "agent"]);
  });
});
