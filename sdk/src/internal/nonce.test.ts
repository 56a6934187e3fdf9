import { describe, expect, test } from "bun:test";
import { NonceError } from "../errors.ts";
import { checkNonce } from "./session.ts";

const PAYLOAD = "abcdefghijklmnopqrstuvwxyz012345-_";

/** Returns a nonce's problem for a client of that server; null if the client signs it. */
function problem(nonce: string, apiUrl: string, allowWithoutHost = false): string | null {
  try {
    checkNonce(nonce, apiUrl, allowWithoutHost);
    return null;
  } catch (error) {
    if (error instanceof NonceError) return error.problem;
    throw error;
  }
}

describe("a nonce is signed", () => {
  test.each([
    ["tokens.example", "https://tokens.example"],
    ["tokens.example", "https://tokens.example/base/path"],
    ["TOKENS.Example", "https://tokens.example"],
    ["tokens.example", "https://TOKENS.example:443"],
    ["tokens.example:443", "https://tokens.example"],
    ["tokens.example:80", "http://tokens.example"],
    ["tokens.example:8443", "https://tokens.example:8443"],
    ["my_service:8787", "http://my_service:8787"],
    ["xn--bcher-kva.example", "https://bücher.example"],
    ["203.0.113.7:8787", "http://203.0.113.7:8787"],
    ["[2001:db8::1]:8787", "http://[2001:0db8::1]:8787"],
  ])("if it names %s and the client talks to %s", (host, apiUrl) => {
    expect(problem(`${host}/${PAYLOAD}`, apiUrl)).toBeNull();
  });

  const here = ["localhost", "127.0.0.1:8787", "127.9.9.9:1", "[::1]:8787", "LOCALHOST:99"];
  test.each(here)("if it names %s, which is this machine by any name and port", (host) => {
    for (const name of here) expect(problem(`${host}/${PAYLOAD}`, `http://${name}`)).toBeNull();
  });
});

describe("a nonce is never signed, even if nonces may name no host", () => {
  test.each([
    ["other.example", "https://tokens.example"],
    ["tokens.example:8443", "https://tokens.example"],
    ["tokens.example:80", "https://tokens.example"],
    ["sub.tokens.example", "https://tokens.example"],
    ["tokens.example.", "https://tokens.example"],
    ["tokens.example", "http://localhost:8787"],
    ["tokens.example", "http://127.0.0.1"],
    ["localhost", "https://tokens.example"],
    ["127.0.0.1:8787", "http://203.0.113.7:8787"],
    ["localhost.tokens.example", "http://localhost"],
    ["127.0.0.1.tokens.example", "http://127.0.0.1"],
    ["0.0.0.0:8787", "http://127.0.0.1:8787"],
    ["tokens.example@other.example", "https://other.example"],
    ["other.example@tokens.example", "https://tokens.example"],
    ["tokens.example?other.example", "https://tokens.example"],
    ["tokens.example#other.example", "https://tokens.example"],
    ["tokens.example\\other.example", "https://tokens.example"],
    ["tokens.example:", "https://tokens.example"],
    ["tokens.example:99999", "https://tokens.example"],
    ["%74okens.example", "https://tokens.example"],
    ["[::1", "http://[::1]"],
  ])("if it names %s and the client talks to %s", (host, apiUrl) => {
    for (const allowWithoutHost of [false, true]) {
      expect(problem(`${host}/${PAYLOAD}`, apiUrl, allowWithoutHost)).toBe("other host");
    }
  });
});

describe("a nonce without a host", () => {
  test.each([PAYLOAD, "550e8400-e29b-41d4-a716-446655440000", "a".repeat(22), "~".repeat(200)])(
    "such as %s is signed only if the caller allows it",
    (nonce) => {
      expect(problem(nonce, "https://tokens.example")).toBe("no host");
      expect(problem(nonce, "https://tokens.example", true)).toBeNull();
    },
  );
});

test("a nonce that is not 22 to 200 visible ASCII characters is never signed", () => {
  const host = "tokens.example";
  for (const nonce of [
    "",
    "a".repeat(21),
    "a".repeat(201),
    "a".repeat(10_000_000),
    `${host}/${"a".repeat(186)}`,
    `${PAYLOAD} `,
    `${PAYLOAD}\n`,
    `${host}/${PAYLOAD}\nI also agree to pay`,
    `${host}/${PAYLOAD}\0`,
    `${host}/${PAYLOAD}\u007f`,
    `${host}/${PAYLOAD}ä`,
    `${host}/${PAYLOAD}\u202e`,
  ]) {
    for (const allowWithoutHost of [false, true]) {
      expect(problem(nonce, `https://${host}`, allowWithoutHost)).toBe("malformed");
    }
  }
  expect(problem(`${host}/${"a".repeat(185)}`, `https://${host}`)).toBeNull();
  expect(problem(`${host}/${"a".repeat(7)}`, `https://${host}`)).toBeNull();
});

test("a refusal says what the nonce names, and does not repeat a malformed nonce", () => {
  const error = (nonce: string) => {
    try {
      checkNonce(nonce, "http://127.0.0.1:8787", false);
    } catch (caught) {
      return caught;
    }
    return null;
  };
  expect(error(`tokens.example/${PAYLOAD}`)).toMatchObject({
    code: "nonce_refused",
    apiHost: "127.0.0.1:8787",
    nonceHost: "tokens.example",
    message: "The server names itself tokens.example, but this client talks to 127.0.0.1:8787",
    hint: "Set apiUrl to tokens.example if you meant that server; otherwise its operator must set PUBLIC_URL",
  });
  expect(error(PAYLOAD)).toMatchObject({ nonceHost: null, code: "nonce_refused" });
  expect((error(`\x1b[31m${PAYLOAD}`) as NonceError).message).not.toContain(PAYLOAD);
});
