import { afterAll, expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { ManualClock } from "../testing/manual-clock.ts";
import {
  type ConnectionOptions,
  createConnection,
  DEFAULT_TIMEOUT_MS,
  RpcFailure,
  type RpcOutcome,
} from "./connection.ts";

let answer: () => Response | Promise<Response> = () => new Response();
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer() });
afterAll(() => server.stop(true));

const URL_WITH_KEY = `http://127.0.0.1:${server.port}/?api-key=hunter2`;

/** Makes one request. @returns how it was counted and its error */
async function ask(options: ConnectionOptions = {}, url = URL_WITH_KEY) {
  const seen: [string, RpcOutcome][] = [];
  const connection = createConnection(url, {
    ...options,
    onRpc: (method, outcome) => seen.push([method, outcome]),
  });
  const error = await connection.getMultipleAccountsInfo([PublicKey.default]).then(
    () => null,
    (fault: unknown) => fault,
  );
  return { seen, error };
}

const account = { context: { slot: 1 }, value: [null] };

test("an answer is returned and counted once", async () => {
  answer = () => Response.json({ jsonrpc: "2.0", id: "1", result: account });
  expect(await ask()).toEqual({ seen: [["getMultipleAccounts", "ok"]], error: null });
});

test("a JSON-RPC error counts as an answer", async () => {
  answer = () => Response.json({ jsonrpc: "2.0", id: "1", error: { code: -32005, message: "no" } });
  const { seen, error } = await ask();
  expect(seen).toEqual([["getMultipleAccounts", "rpc_error"]]);
  expect(error).not.toBeInstanceOf(RpcFailure);
});

const failures: { what: string; response: () => Response | Promise<Response>; kind: RpcOutcome }[] =
  [
    { what: "HTTP 429", response: () => new Response("", { status: 429 }), kind: "rate_limited" },
    { what: "HTTP 500", response: () => new Response("<html>", { status: 500 }), kind: "http" },
    { what: "an HTML page", response: () => new Response("<html>"), kind: "garbage" },
    { what: "half a body", response: () => new Response('{"jsonrpc":"2.0","re'), kind: "garbage" },
    { what: "an empty body", response: () => new Response(""), kind: "garbage" },
    { what: "other JSON", response: () => Response.json({ ok: true }), kind: "garbage" },
    { what: "JSON null", response: () => Response.json(null), kind: "garbage" },
  ];

for (const { what, response, kind } of failures) {
  test(`${what} is reported once as ${kind}, without the URL`, async () => {
    answer = response;
    const { seen, error } = await ask();
    expect(seen).toEqual([["getMultipleAccounts", kind]]);
    expect(error).toMatchObject({ name: "RpcFailure", kind });
    expect(Bun.inspect(error)).not.toMatch(/hunter2|127\.0\.0\.1/);
  });
}

test.each([
  ["a missing answer", () => new Promise<never>(() => {})],
  [
    "an answer that never ends",
    () =>
      new Response(
        new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{"jsonrpc"')) }),
      ),
  ],
])("%s is reported once as timeout, in 15 seconds and without the URL", async (_, response) => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  answer = () => {
    asked.resolve();
    return response();
  };
  let isOver = false;
  const asking = ask({ clock }).finally(() => {
    isOver = true;
  });
  await asked.promise;
  clock.advance(DEFAULT_TIMEOUT_MS - 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  clock.advance(1);
  const { seen, error } = await asking;
  expect(seen).toEqual([["getMultipleAccounts", "timeout"]]);
  expect(error).toMatchObject({ name: "RpcFailure", kind: "timeout" });
  expect(Bun.inspect(error)).not.toMatch(/hunter2|127\.0\.0\.1/);
});

test("a server that does not exist is reported as a network failure", async () => {
  const { seen, error } = await ask({}, "http://127.0.0.1:1/?api-key=hunter2");
  expect(seen).toEqual([["getMultipleAccounts", "network"]]);
  expect(Bun.inspect(error)).not.toMatch(/hunter2|127\.0\.0\.1/);
});

test("a Retry-After is kept if it is a number, up to an hour", async () => {
  for (const [header, seconds] of [
    ["3", 3],
    ["1.5", 2],
    ["999999", 3600],
    ["Wed, 21 Oct 2026 07:28:00 GMT", null],
    ["-1", null],
  ] as const) {
    answer = () => new Response("", { status: 429, headers: { "retry-after": header } });
    const { error } = await ask();
    expect(error).toMatchObject({ retryAfterSeconds: seconds });
  }
});

test("every method rejects with the error itself, whatever web3.js makes of it", async () => {
  const failure = new RpcFailure("network", "any", "refused before it was sent");
  const connection = createConnection(URL_WITH_KEY, { before: () => Promise.reject(failure) });
  const calls = await Promise.allSettled([
    connection.getBalance(PublicKey.default),
    connection.getAccountInfo(PublicKey.default),
    connection.getLatestBlockhash(),
    connection.getSlot(),
  ]);
  for (const call of calls) expect("reason" in call && call.reason).toBe(failure);
});
