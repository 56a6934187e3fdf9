import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { jwtVerify, SignJWT } from "jose";
import { JwtKey } from "./sessions.ts";

const SECRET = new Uint8Array(32).fill(1);
const now = new Date("2026-03-01T09:00:00Z");
const exp = now.getTime() / 1000 + 900;
const CLAIMS = { sub: "ключ 🔑", jti: "id", exp };
const SIGNED = { ...CLAIMS, iss: "issuer", aud: "audience" };
const TERMS = { issuer: "issuer", audience: "audience", now };

const key = new JwtKey(SECRET);
const other = new JwtKey(new Uint8Array(32).fill(2));

/** Changes one character at a place, to another of the base64url alphabet. */
function changed(token: string, place: number): string {
  const character = token[place] === "A" ? "B" : "A";
  return token.slice(0, place) + character + token.slice(place + 1);
}

test("a key opens the tokens that it signed, and no others", async () => {
  const token = await key.sign(SIGNED);
  expect(await key.open(token, TERMS)).toEqual(CLAIMS);
  expect(await other.open(token, TERMS)).toBeNull();
});

test("the expiry is checked against the given time, not against the machine's clock", async () => {
  const token = await key.sign(SIGNED);
  const at = (seconds: number) => key.open(token, { ...TERMS, now: new Date(seconds * 1000) });
  expect(await at(exp - 1)).toEqual(CLAIMS);
  expect(await at(exp)).toBeNull();
});

test("a token of another issuer or audience is refused", async () => {
  const token = await key.sign(SIGNED);
  expect(await key.open(token, { ...TERMS, issuer: "other" })).toBeNull();
  expect(await key.open(token, { ...TERMS, audience: "other" })).toBeNull();
});

describe("compatibility with jose", () => {
  test("jose verifies a token that we sign", async () => {
    const { payload, protectedHeader } = await jwtVerify(await key.sign(SIGNED), SECRET, {
      algorithms: ["HS256"],
      currentDate: now,
    });
    expect(payload).toEqual({ ...SIGNED, iat: expect.any(Number) });
    expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  });

  test("we open a token that jose signs", async () => {
    const token = await new SignJWT({ ...SIGNED, iat: 1 })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(SECRET);
    expect(await key.open(token, TERMS)).toEqual(CLAIMS);
  });
});

describe("forgeries", async () => {
  test("a token with one changed character is refused", async () => {
    const token = await key.sign(SIGNED);
    for (let place = 0; place < token.length; place++) {
      expect(await key.open(changed(token, place), TERMS)).toBeNull();
    }
  });

  test("a signature has exactly one accepted encoding", async () => {
    const token = await key.sign(SIGNED);
    const end = token.lastIndexOf(".") + 1;
    const bytes = Buffer.from(token.slice(end), "base64url");
    for (const encoding of [`${token}=`, `${token} `, `${token}\n`, `${token}é`]) {
      expect(await key.open(encoding, TERMS)).toBeNull();
    }
    expect(await key.open(token.slice(0, end) + bytes.toString("hex"), TERMS)).toBeNull();
    // The last of 43 characters carries two bits that decode to nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const lastCharacters = [...alphabet].filter((last) =>
      Buffer.from(token.slice(end, -1) + last, "base64url").equals(bytes),
    );
    expect(lastCharacters).toHaveLength(4);
    const opened = await Promise.all(
      lastCharacters.map((last) => key.open(token.slice(0, -1) + last, TERMS)),
    );
    expect(opened.filter((claims) => claims !== null)).toHaveLength(1);
  });

  test.each([
    ["another algorithm", { alg: "none", typ: "JWT" }],
    ["another type", { alg: "HS256", typ: "JOSE" }],
    ["more to understand", { alg: "HS256", typ: "JWT", crit: ["b64"], b64: false }],
    ["a key to look up", { alg: "HS256", typ: "JWT", kid: "../../dev/null" }],
  ])("a header with %s is refused, correctly signed or not", async (_, header) => {
    const [, payload] = (await key.sign(SIGNED)).split(".");
    const content = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}`;
    const mac = new Bun.CryptoHasher("sha256", SECRET).update(content).digest("base64url");
    expect(await key.open(`${content}.${mac}`, TERMS)).toBeNull();
    expect(await key.open(`${content}.`, TERMS)).toBeNull();
  });

  test("any other text is refused without an exception", async () => {
    const [header] = (await key.sign(SIGNED)).split(".");
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.boolean(), async (text, hasHeader) => {
        expect(await key.open(hasHeader ? `${header}.${text}` : text, TERMS)).toBeNull();
      }),
    );
  });
});
