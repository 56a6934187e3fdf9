import { describe, expect, test } from "bun:test";
import { AbortError, TokenctlError } from "../errors.ts";
import { checkNonce, SessionKeeper, tokenLifeSeconds } from "./session.ts";

const jwt = (payload: string) => `e30.${Buffer.from(payload).toString("base64url")}.c2ln`;
const goodFor = (seconds: number) => jwt(JSON.stringify({ iat: 1000, exp: 1000 + seconds }));

/** Returns a keeper whose sign-ins the test controls. */
function keeper() {
  const signIns: PromiseWithResolvers<string>[] = [];
  const session = new SessionKeeper(() => {
    const signIn = Promise.withResolvers<string>();
    signIns.push(signIn);
    return signIn.promise;
  });
  const signIn = (index: number) => {
    const found = signIns[index];
    if (!found) throw new Error(`there were ${signIns.length} sign-ins`);
    return found;
  };
  return { session, signIns, signIn };
}

const outcome = (promise: Promise<string>) => promise.catch((error: unknown) => error);

test("one caller's abort ends its own wait, and the sign-in goes on for the others", async () => {
  const { session, signIns, signIn } = keeper();
  const abort = new AbortController();
  const first = outcome(session.bearer());
  const second = outcome(session.bearer(abort.signal));
  const third = outcome(session.bearer());
  abort.abort("mine");
  expect(await second).toBeInstanceOf(AbortError);
  expect(await second).toMatchObject({ cause: "mine" });
  // A new caller joins the callers that still wait.
  const fourth = outcome(session.bearer());
  signIn(0).resolve(goodFor(900));
  for (const wait of [first, third, fourth]) expect(await wait).toBe(goodFor(900));
  expect(signIns).toHaveLength(1);
});

test("a signal that is aborted already begins no sign-in", async () => {
  const { session, signIns } = keeper();
  expect(await outcome(session.bearer(AbortSignal.abort("before")))).toMatchObject({
    code: "aborted",
    cause: "before",
  });
  expect(signIns).toEqual([]);
});

test("only the token that was refused is thrown away", async () => {
  const { session, signIns, signIn } = keeper();
  const first = session.bearer();
  signIn(0).resolve(goodFor(900));
  await first;
  session.discard("another");
  await session.bearer();
  expect(signIns).toHaveLength(1);
  session.discard(goodFor(900));
  void outcome(session.bearer());
  expect(signIns).toHaveLength(2);
});

test.each([
  ["null", jwt("null")],
  ["a list", jwt("[]")],
  ["a number", jwt("5")],
  ["no JSON", jwt("{")],
  ["an end alone", jwt('{"exp":5}')],
  ["a beginning alone", jwt('{"iat":5}')],
  ["times that are texts", jwt('{"iat":"1","exp":"2"}')],
  ["nothing", "opaque"],
])("a token whose payload is %s does not say when it expires", (_, token) => {
  expect(tokenLifeSeconds(token)).toBeNull();
});

const PAYLOAD = "abcdefghijklmnopqrstuvwxyz012345-_";

/** Returns why a client of that server refuses a nonce; null if it signs the nonce. */
function problem(nonce: string, apiUrl: string): string | null {
  try {
    checkNonce(nonce, apiUrl);
    return null;
  } catch (error) {
    if (error instanceof TokenctlError && error.code === "nonce_refused") return error.message;
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

describe("a nonce is never signed", () => {
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
    expect(problem(`${host}/${PAYLOAD}`, apiUrl)).toContain(`names itself ${host}`);
  });
});

test.each([PAYLOAD, "550e8400-e29b-41d4-a716-446655440000", "a".repeat(22), "~".repeat(200)])(
  "a nonce without a host, such as %s, is never signed",
  (nonce) => expect(problem(nonce, "https://tokens.example")).toContain("names no host"),
);

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
    const why = problem(nonce, `https://${host}`);
    expect(why).toContain("22 to 200 visible ASCII characters");
    if (nonce !== "") expect(why).not.toContain(nonce);
  }
  expect(problem(`${host}/${"a".repeat(185)}`, `https://${host}`)).toBeNull();
  expect(problem(`${host}/${"a".repeat(7)}`, `https://${host}`)).toBeNull();
});
