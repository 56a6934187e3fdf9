import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { limits } from "@tokenctl/shared/limits";
import type { Server } from "bun";
import { Elysia } from "elysia";
import { listen } from "../testing/listen.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { parseSolAmount, readJson, readPaced } from "./body.ts";
import { errorsPlugin } from "./errors.ts";
import { RequestWatch } from "./requests.ts";

let server: Server<undefined>;
const clock = new ManualClock();
const PACE = { maxBytes: 9, graceMs: 1_000, bytesPerSecond: 1, onBytes() {} };
/** The error of the handler of `/` in the next request. */
let failed = Promise.withResolvers<unknown>();

beforeAll(() => {
  const app = new Elysia()
    .use(errorsPlugin(new RequestWatch([])))
    .post("/", async ({ request }) => {
      try {
        return { read: (await readJson(request, clock)) ?? null };
      } catch (fault) {
        failed.resolve(fault);
        throw fault;
      }
    });
  server = listen(app, { hostname: "127.0.0.1", port: 0 });
});
afterAll(() => server.stop(true));

const post = (body: Exclude<RequestInit["body"], undefined>, type = "application/json") =>
  fetch(server.url, { method: "POST", body, headers: { "content-type": type } });

/** Sends raw bytes and reads until the server closes the connection. */
function exchange(request: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(Number(server.port), "127.0.0.1", () => socket.write(request));
  socket.on("data", (data) => {
    answer += data;
  });
  // It closes before it has read all of a body that it refuses.
  socket.on("error", () => {});
  socket.on("close", () => resolve(answer));
  return promise;
}

const HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

test("JSON is read with a declared length and in chunks", async () => {
  expect(await (await post('{"a":"ä"}')).json()).toEqual({ read: { a: "ä" } });
  expect(await (await post('{"a":1}', "application/json; charset=utf-8")).json()).toEqual({
    read: { a: 1 },
  });
  expect(await postChunked('{"a":1}')).toEqual({ status: 200, json: { read: { a: 1 } } });
});

test("a missing or empty body is read as undefined", async () => {
  expect(await (await post(null)).json()).toEqual({ read: null });
  expect(await (await post("")).json()).toEqual({ read: null });
});

test.each([
  ["a declared length", `${HEAD}Content-Length: 100\r\n\r\n{"a":`],
  ["chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
])(
  "a body framed by %s that does not arrive gets 408 and closes the connection",
  async (_, request) => {
    const answering = exchange(request);
    await clock.pass(15_000);
    const answer = await answering;
    expect(answer).toStartWith("HTTP/1.1 408 ");
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain(`"error":"${errorCodes.body_too_late.text}"`);
  },
);

/** Sends a body in chunks of 16 KiB, its length undeclared. @returns status and body of the answer */
async function postChunked(body: string): Promise<{ status: number; json: unknown }> {
  const parts = body.match(/.{1,16384}/gs) ?? [];
  const chunks = [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  const framed = `Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join("")}`;
  const [head = "", json = ""] = (await exchange(HEAD + framed)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), json: JSON.parse(json) };
}

test.each([limits.bodyBytes + 1, 10_000_000])("a body of %d bytes gets 413", async (length) => {
  const body = " ".repeat(length);
  const answer = await post(body);
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: errorCodes.body_too_large.text });
  const chunked = await postChunked(body);
  expect(chunked.status).toBe(413);
  expect(chunked.json).toMatchObject({ error: errorCodes.body_too_large.text });
});

test("the largest allowed body is read, with a declared length and in chunks", async () => {
  const text = "a".repeat(limits.bodyBytes - 2);
  const body = JSON.stringify(text);
  expect(body).toHaveLength(limits.bodyBytes);
  expect(await (await post(body)).json()).toEqual({ read: text });
  expect(await postChunked(body)).toEqual({ status: 200, json: { read: text } });
});

test("a client that closes the connection in the middle of its body causes no server error", async () => {
  failed = Promise.withResolvers();
  const socket = connect(Number(server.port), "127.0.0.1", () => {
    socket.end(`${HEAD}Content-Length: 100\r\n\r\n{"a":`);
  });
  expect(await failed.promise).toMatchObject({
    name: "ServiceError",
    wireCode: "validation_failed",
  });
});

test("a body that arrives more slowly than it must is refused, after its grace", async () => {
  const clock = new ManualClock();
  const request = new Request(server.url.href, { method: "POST", body: new ReadableStream() });
  let fault: unknown = null;
  const reading = readPaced(request, PACE, clock).catch((error) => {
    fault = error;
  });
  for (let passed = 0; passed < 1_250; passed += 250) {
    expect(fault).toBeNull();
    await clock.pass(250);
  }
  await reading;
  expect(fault).toMatchObject({ wireCode: "body_too_late" });
});

test.each([readJson, (request: Request) => readPaced(request, PACE, clock)])(
  "a compressed body is refused before any of it is read",
  async (read) => {
    for (const encoding of ["gzip", "br, identity", "x"]) {
      const headers = { "content-encoding": encoding, "content-type": "application/json" };
      const request = new Request(server.url.href, { method: "POST", headers, body: "{}" });
      await expect(read(request)).rejects.toMatchObject({
        wireCode: "unsupported_content_encoding",
      });
      expect(request.bodyUsed).toBeFalse();
    }
  },
);

test.each([
  [1, 1_000_000_000n],
  [0.1, 100_000_000n],
  ["0.000000001", 1n],
  [100_000, 100_000_000_000_000n],
  ["1.5", 1_500_000_000n],
])("%j SOL are %p lamports", (sol, lamports) => {
  expect(parseSolAmount("sol", sol, 100_000_000_000_000n)).toBe(lamports);
});

test.each([
  0,
  -1,
  100_000.1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e21,
  "",
  "1e3",
  "0",
  "x",
  "1.0000000001",
  1e-10,
])("the amount %j is refused", (sol) => {
  const message = "must be more than 0 and at most 100000, with at most 9 decimals";
  expect(() => parseSolAmount("sol", sol, 100_000_000_000_000n)).toThrow(
    expect.objectContaining({ details: [{ field: "sol", message }] }),
  );
});
