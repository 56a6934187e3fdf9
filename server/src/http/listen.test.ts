import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Server } from "bun";
import { Elysia } from "elysia";
import { type Clock, systemClock } from "../base/clock.ts";
import { Metrics, serveMetrics } from "../metrics/metrics.ts";
import { exchange, listen } from "../testing/listen.ts";
import { readJson } from "./body.ts";
import { eventStream, longAnswer, type StreamSource } from "./listen.ts";
import { requestsPlugin } from "./requests.ts";

/**
 * Bun checks its connections every four seconds and rounds up to such steps. So it closes an idle
 * connection after four to eight seconds, which is after a body's deadline.
 */
const IDLE_SECONDS = 5;

/** A body may take 40 ms. */
const IMPATIENT: Pick<Clock, "after"> = {
  after: (_, call) => systemClock.after(40, call),
};

/** Bun waits ten seconds for a first request; a slow machine may need much longer. */
const LIMIT_MS = 300_000;
/** Less than the 150 s that a long answer may take. */
const SOON_MS = 120_000;

let server: Server<undefined>;

beforeAll(() => {
  const app = new Elysia()
    .use(requestsPlugin([], { corsOrigins: [], hosts: null }, () => []))
    .get("/health", () => "ok")
    .get("/openapi/json", () => "a".repeat(50_000))
    .post("/api/auth/challenge", ({ request }) => readJson(request, IMPATIENT));
  server = listen(app, { hostname: "127.0.0.1", port: 0, idleTimeoutSeconds: IDLE_SECONDS });
});
afterAll(() => server.stop(true));

/** One way to be slow: what a client sends at once, and what it sends every second. */
interface Slowness {
  readonly kind: string;
  readonly first: string;
  readonly drip?: string;
  readonly isUnread?: boolean;
}

/** Connects a slow client. @returns the first line that it got, once it is disconnected */
function untilClosed(url: URL, { first, drip, isUnread = false }: Slowness): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(Number(url.port), url.hostname, () => socket.write(first));
  // A client that does not read learns only by writing that it was closed.
  const piece = isUnread ? "G" : (drip ?? "");
  const timer = setInterval(() => piece !== "" && socket.write(piece), 1_000);
  socket.on("data", (data) => {
    answer ||= data.toString("latin1").split("\r\n")[0] ?? "";
    if (isUnread) socket.pause();
  });
  // A reset closes the connection too.
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(timer);
    resolve(answer);
  });
  return promise;
}

const CLIENTS_OF_A_KIND = 10;

/** Connects slow clients of each kind, and requests a URL until all of them are disconnected. */
async function expectClosed(url: URL, path: string, kinds: readonly Slowness[]): Promise<void> {
  let held = true;
  const all = kinds.flatMap((slowness) =>
    Array.from({ length: CLIENTS_OF_A_KIND }, async () => {
      const answer = await untilClosed(url, slowness);
      const { kind } = slowness;
      if (kind.startsWith("bod")) expect([kind, answer]).toEqual([kind, TOO_LATE]);
    }),
  );
  const closed = Promise.all(all).finally(() => {
    held = false;
  });
  while (held) {
    expect((await fetch(new URL(path, url))).status).toBe(200);
    await Bun.sleep(50);
  }
  await closed;
}

const TOO_LATE = "HTTP/1.1 408 Request Timeout";
const HOST = "Host: localhost\r\n";
const POST = `POST /api/auth/challenge HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const OPENING = `GET /health HTTP/1.1\r\n${HOST}X-Padding: `;

test.concurrent(
  "slow clients of every kind are disconnected, and other clients are served",
  () =>
    expectClosed(server.url, "/health", [
      { kind: "silent", first: "" },
      { kind: "half a request line", first: "GET /heal" },
      { kind: "half the headers", first: `${OPENING}${"a".repeat(8_192)}` },
      { kind: "headers by drops", first: OPENING, drip: "a" },
      {
        kind: "body by drops",
        first: `${POST}Content-Length: 65536\r\n\r\n${" ".repeat(60_000)}`,
        drip: "a",
      },
      {
        kind: "body by chunks",
        first: `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
        drip: "1\r\n \r\n",
      },
      {
        kind: "unread answers",
        first: `GET /openapi/json HTTP/1.1\r\n${HOST}\r\n`.repeat(100),
        isUnread: true,
      },
    ]),
  LIMIT_MS,
);

test.concurrent(
  "slow clients of the metrics' port are disconnected, and others are served",
  async () => {
    await using port = serveMetrics(new Metrics(), { host: "127.0.0.1", port: 0 });
    const get = `GET /metrics HTTP/1.1\r\n${HOST}`;
    await expectClosed(port.url, "/metrics", [
      { kind: "silent", first: "" },
      { kind: "headers by drops", first: `${get}A: `, drip: "a" },
      {
        kind: "a body by drops",
        first: `POST /metrics HTTP/1.1\r\n${HOST}Content-Length: 900\r\n\r\n`,
        drip: "a",
      },
      { kind: "unread answers", first: `${get}\r\n`.repeat(100), isUnread: true },
    ]);
  },
  LIMIT_MS,
);

test.concurrent(
  "a long answer keeps its connection open only until it is sent",
  async () => {
    const begins = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<string>();
    const answer = () => {
      begins.resolve();
      return ends.promise;
    };
    const app = new Elysia()
      .get("/slow", () => NEVER)
      .get("/long", (conversation) => longAnswer(conversation, answer, 1));
    const server = listen(app, { hostname: "127.0.0.1", port: 0, idleTimeoutSeconds: 1 });
    const receivedFrom = (path: string) =>
      exchange(server.port, `GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
    const long = receivedFrom("/long");
    await begins.promise;
    // The connection of a later request is cut as idle before the answer is sent.
    expect(await receivedFrom("/slow")).toBe("");
    ends.resolve("answered");
    expect(await long).toStartWith("HTTP/1.1 200 OK\r\n");
    expect(await long).toEndWith("\r\n\r\nanswered");
    await server.stop(true);
  },
  SOON_MS,
);

/** 64 pieces are more than the buffers of a local connection hold. */
const PIECE = "x".repeat(1024 * 1024);
const ENOUGH = 64;

/** Answers one request after the other from these sources, and any more never. */
function serve(...sources: StreamSource<string>[]) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 1,
    fetch(request): Response | Promise<Response> {
      const source = sources.shift();
      return source ? eventStream({ server, request }, source, String, 1) : NEVER;
    },
  });
  return server;
}

const NEVER = new Promise<never>(() => {});

async function request(port: number): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1", resolve);
  socket.on("error", () => {});
  await promise;
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return socket;
}

test.concurrent("a client that does not read is asked for no more, and cut off", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let pieces = 0;
  const server = serve({
    next: async () => (pieces++ < ENOUGH ? PIECE : null),
    close: resolve,
  });
  const socket = await request(server.port ?? 0);
  socket.pause();
  await closed;
  expect(pieces).toBeLessThan(ENOUGH);
  socket.destroy();
  await server.stop(true);
});

test.concurrent("a stream with nothing to send for longer than the idle timeout stays open", async () => {
  const waits = Promise.withResolvers<void>();
  const idleIsCut = Promise.withResolvers<void>();
  let next = 0;
  const source: StreamSource<string> = {
    async next() {
      if (next++ === 1) {
        waits.resolve();
        await idleIsCut.promise;
      }
      return next > 2 ? null : `: ${next}\n\n`;
    },
    close: () => {},
  };
  const server = serve(source);
  const stream = await fetch(server.url);
  await waits.promise;
  const idle = await request(server.port ?? 0);
  idle.on("close", () => idleIsCut.resolve());
  expect(await stream.text()).toBe(": 1\n\n: 2\n\n");
  await server.stop(true);
});

test("the source is closed when its client goes, and when it ends", async () => {
  const [started, left, ended] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const waiting = () => {
    started?.resolve();
    return NEVER;
  };
  const server = serve(
    { next: waiting, close: () => left?.resolve() },
    { next: async () => null, close: () => ended?.resolve() },
  );
  const socket = await request(server.port ?? 0);
  await started?.promise;
  socket.destroy();
  await left?.promise;
  expect(await (await fetch(server.url)).text()).toBe("");
  await ended?.promise;
  await server.stop(true);
});

test("the source is closed if its client has gone before the answer begins", async () => {
  let closed = 0;
  const source = { next: () => NEVER, close: () => void closed++ };
  const begin = (signal: AbortSignal) =>
    eventStream(
      { server: null, request: new Request("http://localhost", { signal }) },
      source,
      String,
    );
  begin(AbortSignal.abort());
  expect(closed).toBe(1);
  const leaving = new AbortController();
  begin(leaving.signal);
  leaving.abort();
  expect(closed).toBe(2);
});
