import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import pino from "pino";
import { errorsPlugin } from "./errors.ts";
import { type AnsweredRequest, accessLog, RequestWatch, requestsPlugin } from "./requests.ts";

const REQUEST: AnsweredRequest = {
  requestId: "11111111-2222-4333-8444-555555555555",
  method: "GET",
  route: "/api/v1/tokens/",
  status: 200,
  duration: 1.23456,
  wallet: "wallet",
  eventId: null,
  fault: null,
};

function lines(request: Partial<AnsweredRequest>): Record<string, unknown>[] {
  const written: string[] = [];
  const log = pino(
    { level: "trace", base: null, timestamp: false },
    { write: (line) => written.push(line) },
  );
  accessLog(log)({ ...REQUEST, ...request });
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line names the request, its agent, its launch and its status", () => {
  const eventId = "99999999-2222-4333-8444-555555555555";
  expect(lines({ method: "POST", route: "/api/v1/tokens/launch/", eventId })).toEqual([
    {
      level: pino.levels.values.info,
      requestId: REQUEST.requestId,
      method: "POST",
      route: "/api/v1/tokens/launch/",
      status: 200,
      ms: 1.235,
      wallet: "wallet",
      eventId,
      msg: "request",
    },
  ]);
});

test.each([
  ["debug", "GET", 200],
  ["debug", "GET", 404],
  ["info", "POST", 200],
  ["info", "POST", 409],
  ["warn", "GET", 401],
  ["warn", "POST", 429],
  ["warn", "POST", 502],
  ["warn", "GET", 503],
  ["error", "POST", 500],
])("the level is %s for a %s with status %d", (level, method, status) => {
  const fault = status >= 500 ? new Error("at fault") : null;
  expect(lines({ method, status, fault })[0]?.level).toBe(pino.levels.values[level]);
});

test("a failed health check is logged at debug", () => {
  expect(lines({ route: "/health", status: 503 })[0]?.level).toBe(pino.levels.values.debug);
});

test("the cause is logged if the server is at fault, and otherwise not", () => {
  const fault = new Error("the disk is full");
  expect(lines({ status: 500, fault })[0]).toHaveProperty("err");
  expect(lines({ status: 404, fault })[0]).not.toHaveProperty("err");
});

test.each([
  ["succeeds", () => "done"],
  [
    "fails",
    () => {
      throw new Error("boom");
    },
  ],
])("the duration of a request that %s is the time that it took", async (_, end) => {
  const seen: AnsweredRequest[] = [];
  const watch = new RequestWatch([(request) => seen.push(request)]);
  const work = Promise.withResolvers<number>();
  const release = Promise.withResolvers<void>();
  const app = new Elysia()
    .use(requestsPlugin(watch, { corsOrigins: [], hosts: null }))
    .use(errorsPlugin(watch))
    .get("/", async () => {
      work.resolve(performance.now());
      await release.promise;
      return end();
    });
  const sent = performance.now();
  const answer = app.handle(new Request("http://localhost/"));
  const began = await work.promise;
  const waited = performance.now();
  release.resolve();
  await answer;
  const outside = performance.now() - sent;
  expect(seen).toHaveLength(1);
  const duration = seen[0]?.duration ?? Number.NaN;
  expect(duration).toBeGreaterThanOrEqual(waited - began);
  expect(duration).toBeLessThanOrEqual(outside);
});
