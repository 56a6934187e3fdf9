import { afterAll, expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, transfer } from "../localnet/testing/local-chain.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import {
  type ConnectionOptions,
  createConnection,
  DEFAULT_TIMEOUT_MS,
  type RpcOutcome,
} from "./connection.ts";
import { readTransaction } from "./outcome.ts";
import { RpcError } from "./rpc-answer.ts";
import { FaultyRpc } from "./testing/faulty-rpc.ts";

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

test.each([{}, { error: null }])(
  "an answer with %j beside its result counts once",
  async (beside) => {
    answer = () => Response.json({ jsonrpc: "2.0", id: "1", result: account, ...beside });
    expect(await ask()).toEqual({ seen: [["getMultipleAccounts", "ok"]], error: null });
  },
);

test("an answer without end is given up after 32 MiB", async () => {
  let sent = 0;
  const chunk = new Uint8Array(1024 ** 2).fill(0x20);
  const pull = async (stream: ReadableStreamDefaultController) => {
    // The bytes that are sent while the client closes the connection are on their way already.
    if (sent++ < 256) stream.enqueue(chunk);
    else stream.close();
    await Bun.sleep(0);
  };
  answer = () => new Response(new ReadableStream({ pull }));
  const { seen } = await ask();
  expect(seen).toEqual([["getMultipleAccounts", "garbage"]]);
  expect(sent).toBeLessThan(256);
});

const json = (body: object, status = 200) => Response.json(body, { status });
const rpcError = (code: number, status = 200, data?: unknown) =>
  json({ jsonrpc: "2.0", id: "1", error: { code, message: "no", data } }, status);

test.each<[string, () => Response, RpcOutcome]>([
  ["HTTP 401", () => new Response("", { status: 401 }), "unauthorised"],
  ["HTTP 403", () => new Response("", { status: 403 }), "unsupported"],
  ["HTTP 429", () => new Response("", { status: 429 }), "limited"],
  ["HTTP 400", () => new Response("<html>", { status: 400 }), "http"],
  ["HTTP 500", () => new Response("<html>", { status: 500 }), "http"],
  ["HTTP 500 with a result", () => json({ result: 1 }, 500), "http"],
  ["an HTML page", () => new Response("<html>"), "garbage"],
  ["half a body", () => new Response('{"jsonrpc":"2.0","re'), "garbage"],
  ["an empty body", () => new Response(""), "garbage"],
  ["other JSON", () => json({ ok: true }), "garbage"],
  ["JSON null", () => Response.json(null), "garbage"],
  ["an error without a code", () => json({ error: "no" }), "garbage"],
  ["the result null", () => json({ result: null }), "garbage"],
  ["too few results", () => json({ result: { ...account, value: [] } }), "garbage"],
  ["-32601", () => rpcError(-32601), "unsupported"],
  ["-32602", () => rpcError(-32602), "refused"],
  ["-32602 in a 400", () => rpcError(-32602, 400), "refused"],
  ["-32602 in a 429", () => rpcError(-32602, 429), "limited"],
  ["-32603", () => rpcError(-32603), "broken"],
  ["-32429", () => rpcError(-32429), "limited"],
  ["the code 429", () => rpcError(429), "limited"],
  ["-32005", () => rpcError(-32005), "unhealthy"],
  ["-32016", () => rpcError(-32016), "behind"],
  ["-32011", () => rpcError(-32011), "missing"],
  ["an unknown code", () => rpcError(-31999), "broken"],
])("%s is reported once with its kind, without the URL", async (_, response, kind) => {
  answer = response;
  const { seen, error } = await ask();
  expect(seen).toEqual([["getMultipleAccounts", kind]]);
  expect(error).toMatchObject({ name: "RpcError", kind });
  expect(Bun.inspect(error)).not.toMatch(/hunter2|127\.0\.0\.1/);
});

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
  expect(error).toMatchObject({ name: "RpcError", kind: "timeout" });
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
  const failure = new RpcError("network", "any", "refused before it was sent");
  const connection = createConnection(URL_WITH_KEY, { before: () => Promise.reject(failure) });
  const calls = await Promise.allSettled([
    connection.getBalance(PublicKey.default),
    connection.getAccountInfo(PublicKey.default),
    connection.getLatestBlockhashAndContext(),
    connection.getSlot(),
  ]);
  for (const call of calls) expect("reason" in call && call.reason).toBe(failure);
});

test("a refusal keeps its code and data, and its sentence names the method and the code", async () => {
  const data = { err: "BlockhashNotFound", logs: [] };
  answer = () => rpcError(-32002, 200, data);
  const sending = createConnection(URL_WITH_KEY).sendRawTransaction(new Uint8Array([1]));
  const error = await sending.catch((fault: unknown) => fault);
  expect(error).toMatchObject({ kind: "refused", method: "sendTransaction", code: -32002, data });
  expect((error as RpcError).sentence).toBe(
    "The Solana RPC refuses a request (sendTransaction, -32002)",
  );
});

test("a node that knows no confirmed state is asked for the finalized one, after one refusal", async () => {
  const { chain, wallet } = openTestChain();
  const rpc = FaultyRpc.of(chain);
  rpc.knowOnlyFinalized();
  const connection = createConnection("http://node.invalid", { fetch: rpc.fetch });
  expect(await connection.getBalance(PublicKey.default)).toBe(1);
  const payer = wallet();
  const signature = await connection.sendRawTransaction(transfer(chain, payer, 1_000_000n));
  await connection.getSignaturesForAddress(payer.publicKey);
  await readTransaction(connection, signature);
  expect(rpc.calls).toEqual([
    "getBalance",
    "getBalance",
    "sendTransaction",
    "getSignaturesForAddress",
    "getTransaction",
  ]);
});
