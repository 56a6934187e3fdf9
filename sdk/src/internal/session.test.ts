import { afterAll, expect, spyOn, test } from "bun:test";
import { AbortError } from "../errors.ts";
import { SessionKeeper, tokenLifeSeconds } from "./session.ts";

const jwt = (payload: string) => `e30.${Buffer.from(payload).toString("base64url")}.c2ln`;
const goodFor = (seconds: number) => jwt(JSON.stringify({ iat: 1000, exp: 1000 + seconds }));

const clock = spyOn(performance, "now");
afterAll(() => clock.mockRestore());

/** Returns a keeper whose sign-ins the test controls, and begins its time. */
function keeper() {
  clock.mockReturnValue(0);
  const signIns: (PromiseWithResolvers<string> & { signal: AbortSignal })[] = [];
  const session = new SessionKeeper((signal) => {
    const signIn = { ...Promise.withResolvers<string>(), signal };
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
  expect(signIn(0).signal.aborted).toBe(false);
  // A new caller joins the callers that still wait.
  const fourth = outcome(session.bearer());
  signIn(0).resolve(goodFor(900));
  for (const wait of [first, third, fourth]) expect(await wait).toBe(goodFor(900));
  expect(signIns).toHaveLength(1);
});

test("the last caller that aborts ends the sign-in, and the next call begins another", async () => {
  const { session, signIns, signIn } = keeper();
  const aborts = [new AbortController(), new AbortController()];
  const waits = aborts.map(({ signal }) => outcome(session.bearer(signal)));
  aborts[0]?.abort();
  expect(signIn(0).signal.aborted).toBe(false);
  aborts[1]?.abort();
  expect(signIn(0).signal.aborted).toBe(true);
  for (const wait of waits) expect(await wait).toBeInstanceOf(AbortError);
  const next = session.bearer();
  // The abandoned sign-in ends late; callers wait for the new one.
  signIn(0).reject(new Error("aborted"));
  await new Promise(setImmediate);
  const joined = session.bearer();
  signIn(1).resolve(goodFor(900));
  expect(await Promise.all([next, joined])).toEqual([goodFor(900), goodFor(900)]);
  expect(signIns).toHaveLength(2);
});

test("a signal that is aborted already begins no sign-in", async () => {
  const { session, signIns } = keeper();
  expect(await outcome(session.bearer(AbortSignal.abort("before")))).toMatchObject({
    code: "aborted",
    cause: "before",
  });
  expect(signIns).toEqual([]);
});

test("an abort after the sign-in changes nothing for the next", async () => {
  const { session, signIns, signIn } = keeper();
  const abort = new AbortController();
  const first = session.bearer(abort.signal);
  signIn(0).resolve(goodFor(100));
  await first;
  const second = outcome(session.renew());
  abort.abort();
  expect(signIn(1).signal.aborted).toBe(false);
  signIn(1).resolve(goodFor(900));
  expect(await second).toBe(goodFor(900));
  expect(signIns).toHaveLength(2);
});

test("a token is used until a minute before it expires, a short one for nine tenths of its life", async () => {
  for (const [life, until] of [
    [900, 840_000],
    [100, 90_000],
  ] as const) {
    const { session, signIns, signIn } = keeper();
    const first = session.bearer();
    signIn(0).resolve(goodFor(life));
    await first;
    clock.mockReturnValue(until - 1);
    expect(await session.bearer()).toBe(goodFor(life));
    clock.mockReturnValue(until);
    void outcome(session.bearer());
    expect(signIns).toHaveLength(2);
  }
});

test("a token's life counts from its request, even if the sign-in took long", async () => {
  const { session, signIns, signIn } = keeper();
  const first = session.bearer();
  clock.mockReturnValue(60_000);
  signIn(0).resolve(goodFor(900));
  await first;
  clock.mockReturnValue(839_999);
  await session.bearer();
  expect(signIns).toHaveLength(1);
  clock.mockReturnValue(840_000);
  void outcome(session.bearer());
  expect(signIns).toHaveLength(2);
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
  expect(tokenLifeSeconds(token)).toBe(Number.POSITIVE_INFINITY);
});
