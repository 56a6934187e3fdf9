import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { eventStream, type StreamSource } from "./event-stream.ts";

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
