import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Server } from "bun";
import { Elysia } from "elysia";
import { openSlowClients, type SlownessResult } from "../../../test/chaos/slow-client.ts";
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

let server: Server<undefined>;
const longBegins = Promise.withResolvers<void>();
const slowEnds = Promise.withResolvers<string>();

function answerLong(): Promise<string> {
  longBegins.resolve();
  return slowEnds.promise;
}

beforeAll(() => {
  const app = new Elysia()
    .use(requestsPlugin([], { corsOrigins: [], hosts: null }, () => []))
    .get("/health", () => "ok")
    .get("/openapi/json", () => "a".repeat(50_000))
    .post("/api/auth/challenge", ({ request }) => readJson(request, IMPATIENT))
    .get("/slow", () => new Promise<never>(() => {}))
    .get("/long", (conversation) => longAnswer(conversation, answerLong, IDLE_SECONDS));
  server = listen(app, { hostname: "127.0.0.1", port: 0, idleTimeoutSeconds: IDLE_SECONDS });
});
afterAll(() => server.stop(true));

/** Waits until all slow clients are disconnected, while other clients request a URL. */
async function untilClosed(
  clients: ReturnType<typeof openSlowClients>,
  url: string | URL,
): Promise<SlownessResult[]> {
  let held = true;
  const closed = clients.closed.finally(() => {
    held = false;
  });
  while (held) {
    expect((await fetch(url)).status).toBe(200);
    await Bun.sleep(50);
  }
  return closed;
}

test.concurrent(
  "slow clients of every kind are disconnected, and other clients are served",
  async () => {
    const clients = openSlowClients(new URL(server.url), 90);
    for (const { kind, open, answers } of await untilClosed(clients, `${server.url}health`)) {
      expect({ kind, open }).toEqual({ kind, open: 0 });
      if (/body|chunks/.test(kind)) expect(answers).toBe("10 × HTTP/1.1 408 Request Timeout");
    }
  },
  LIMIT_MS,
);

const receivedFrom = (path: string) =>
  exchange(server.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);

test.concurrent(
  "a long answer keeps its connection open only until it is sent",
  async () => {
    const long = receivedFrom("/long");
    await longBegins.promise;
    // The connection of a later request is cut as idle before the answer is sent.
    expect(await receivedFrom("/slow")).toBe("");
    slowEnds.resolve("answered");
    // The test's timeout bounds how long the server keeps the connection after the answer.
    expect(await long).toStartWith("HTTP/1.1 200 OK\r\n");
    expect(await long).toEndWith("\r\n\r\nanswered");
  },
  LIMIT_MS,
);

test.concurrent(
  "slow clients of the metrics' port are disconnected, and others are served",
  async () => {
    await using port = serveMetrics(new Metrics(), { host: "127.0.0.1", port: 0 });
    const url = new URL("/metrics", port.url);
    const scrapes = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    const post = "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n";
    const clients = openSlowClients(url, 80, [
      { kind: "silent", first: "" },
      {
        kind: "headers by drops",
        first: "GET /metrics HTTP/1.1\r\nA: ",
        drip: "a",
        everyMs: 1_000,
      },
      { kind: "body by drops", first: post, drip: "a", everyMs: 1_000 },
      { kind: "unread answers", first: scrapes, isUnread: true },
    ]);
    for (const { kind, clients: all, open } of await untilClosed(clients, url)) {
      expect({ kind, all, open }).toEqual({ kind, all: 20, open: 0 });
    }
  },
  LIMIT_MS,
);

/** 64 pieces are more than the buffers of a local connection hold. */
const PIECE = "x".repeat(1024 * 1024);
const ENOUGH = 64;

function serve(source: StreamSource<string>, idleTimeout = 1) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout,
    fetch: (request): Response => eventStream({ server, request }, source, String, 1),
  });
  return server;
}

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
  let requests = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 1,
    fetch: (request): Response | Promise<Response> =>
      requests++ === 0
        ? eventStream({ server, request }, source, String, 1)
        : new Promise<never>(() => {}),
  });
  const stream = await fetch(server.url);
  await waits.promise;
  const idle = await request(server.port ?? 0);
  idle.on("close", () => idleIsCut.resolve());
  expect(await stream.text()).toBe(": 1\n\n: 2\n\n");
  await server.stop(true);
});

test("the source is closed when its client goes, and when it ends", async () => {
  const ends: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  const started = Promise.withResolvers<void>();
  let opened = 0;
  const sources: StreamSource<string>[] = ends.map(({ resolve }, index) => ({
    next: () => {
      if (index === 1) return Promise.resolve(null);
      started.resolve();
      return new Promise(() => {});
    },
    close: resolve,
  }));
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      eventStream({ server: null, request }, sources[opened++] as StreamSource<string>, String),
  });
  const socket = await request(server.port ?? 0);
  await started.promise;
  socket.destroy();
  await ends[0]?.promise;
  expect(await (await fetch(server.url)).text()).toBe("");
  await ends[1]?.promise;
  await server.stop(true);
});

test("the source is closed if its client has gone before the answer begins", async () => {
  let closed = 0;
  const source = { next: () => new Promise<null>(() => {}), close: () => void closed++ };
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
