import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { jwtVerify, SignJWT } from "jose";
import { openJwt, signJwt } from "./jwt.ts";

const SECRET = new Uint8Array(32).fill(1);
const OTHER_SECRET = new Uint8Array(32).fill(2);
const CLAIMS = { sub: "agent", note: "ключ 🔑", iat: 1 };

/** Changes one character at a place, to another of the base64url alphabet. */
function changed(token: string, place: number): string {
  const character = token[place] === "A" ? "B" : "A";
  return token.slice(0, place) + character + token.slice(place + 1);
}

test("default: opens what it signed, with that secret alone", () => {
  const token = signJwt(CLAIMS, SECRET);
  expect(openJwt(token, SECRET)).toEqual(CLAIMS);
  expect(openJwt(token, OTHER_SECRET)).toBeNull();
});

describe("beside jose", () => {
  test("behavior: jose opens what is signed here", async () => {
    const { payload, protectedHeader } = await jwtVerify(signJwt(CLAIMS, SECRET), SECRET, {
      algorithms: ["HS256"],
    });
    expect(payload).toEqual(CLAIMS);
    expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  });

  test("behavior: opens what jose signed", async () => {
    const token = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(SECRET);
    expect(openJwt(token, SECRET)).toEqual(CLAIMS);
  });
});

describe("forgeries", () => {
  test("behavior: no character of a token can be changed", () => {
    const token = signJwt(CLAIMS, SECRET);
    for (let place = 0; place < token.length; place++) {
      expect(openJwt(changed(token, place), SECRET)).toBeNull();
    }
  });

  test("behavior: a signature has no second spelling", () => {
    const token = signJwt(CLAIMS, SECRET);
    const end = token.lastIndexOf(".") + 1;
    const bytes = Buffer.from(token.slice(end), "base64url");
    for (const other of [`${token}=`, `${token} `, `${token}\n`, `${token}é`]) {
      expect(openJwt(other, SECRET)).toBeNull();
    }
    expect(openJwt(token.slice(0, end) + bytes.toString("hex"), SECRET)).toBeNull();
    // The last of 43 characters carries two bits that decode to nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const twins = [...alphabet].filter((last) =>
      Buffer.from(token.slice(end, -1) + last, "base64url").equals(bytes),
    );
    expect(twins).toHaveLength(4);
    const accepted = twins.filter((last) => openJwt(token.slice(0, -1) + last, SECRET));
    expect(accepted).toHaveLength(1);
  });

  test.each([
    ["another algorithm", { alg: "none", typ: "JWT" }],
    ["another type", { alg: "HS256", typ: "JOSE" }],
    ["more to understand", { alg: "HS256", typ: "JWT", crit: ["b64"], b64: false }],
    ["a key to look up", { alg: "HS256", typ: "JWT", kid: "../../dev/null" }],
  ])("behavior: a header with %s is refused, well signed or not", (_, header) => {
    const [, payload] = signJwt(CLAIMS, SECRET).split(".");
    const content = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}`;
    const mac = new Bun.CryptoHasher("sha256", SECRET).update(content).digest("base64url");
    expect(openJwt(`${content}.${mac}`, SECRET)).toBeNull();
    expect(openJwt(`${content}.`, SECRET)).toBeNull();
  });

  test("behavior: whatever it is given, it says no and does not throw", () => {
    const [header] = signJwt(CLAIMS, SECRET).split(".");
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (text, hasHeader) => {
        expect(openJwt(hasHeader ? `${header}.${text}` : text, SECRET)).toBeNull();
      }),
    );
  });
});
