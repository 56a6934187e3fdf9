import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Server } from "bun";
import { Elysia } from "elysia";
import { openSlowClients } from "../../../test/chaos/slow-client.ts";
import { readJson } from "./body.ts";
import { errorsPlugin } from "./errors.ts";
import { listen } from "./listen.ts";
import { longAnswer } from "./long-answer.ts";
import { RequestWatch } from "./observe.ts";

/**
 * Bun checks its connections every four seconds, whenever that began, and rounds up to such steps: this
 * closes one after four to eight, so after the time that a body may take.
 */
const IDLE_SECONDS = 5;

/** Bun waits ten seconds for a first request. */
const BUN_SECONDS = 16;

const LIMIT_MS = 30_000;

let server: Server<undefined>;

beforeAll(() => {
  const wait = () => Bun.sleep(9_000).then(() => "answered");
  const app = new Elysia()
    .use(errorsPlugin(new RequestWatch([])))
    .get("/health", () => "ok")
    .get("/openapi/json", () => "a".repeat(50_000))
    .post("/api/auth/challenge", ({ request }) => readJson(request, 1_000))
    .get("/slow", wait)
    .get("/long", ({ request, server }) => longAnswer(server, request, wait, IDLE_SECONDS));
  server = listen(app, { hostname: "127.0.0.1", port: 0, idleTimeoutSeconds: IDLE_SECONDS });
});
afterAll(() => server.stop(true));

test.concurrent(
  "slow clients of every kind are disconnected, and other clients are served",
  async () => {
    const clients = openSlowClients(new URL(server.url), 90);
    let held = true;
    const closed = clients.closed.finally(() => {
      held = false;
    });
    const latencies: number[] = [];
    while (held) {
      const asked = performance.now();
      expect((await fetch(`${server.url}health`)).status).toBe(200);
      latencies.push(performance.now() - asked);
      await Bun.sleep(50);
    }
    for (const { kind, last, open, answers } of await closed) {
      expect({ kind, open, closedInTime: last < BUN_SECONDS }).toEqual({
        kind,
        open: 0,
        closedInTime: true,
      });
      if (/body|chunks/.test(kind)) expect(answers).toBe("10 × HTTP/1.1 408 Request Timeout");
    }
  },
  LIMIT_MS,
);

/** Sends one request. @returns all bytes until the server closed the connection */
function untilClosed(path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = "";
  const socket = connect(Number(server.port), "127.0.0.1", () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  );
  socket.on("data", (data) => {
    received += data;
  });
  socket.on("close", () => resolve(received));
  return promise;
}

test.concurrent(
  "a long answer keeps its connection open only until it is sent",
  async () => {
    // Both waits are longer than the idle timeout. The test's own timeout bounds how long the server
    // keeps the answered connection.
    const [long, slow] = await Promise.all([untilClosed("/long"), untilClosed("/slow")]);
    expect(long).toStartWith("HTTP/1.1 200 OK\r\n");
    expect(long).toEndWith("\r\n\r\nanswered");
    expect(slow).toBe("");
  },
  LIMIT_MS,
);
