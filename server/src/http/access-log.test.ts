import { expect, test } from "bun:test";
import pino from "pino";
import { accessLog } from "./access-log.ts";
import type { AnsweredRequest } from "./observe.ts";

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

/** The lines that a request leaves in the log. */
function lines(request: Partial<AnsweredRequest>): Record<string, unknown>[] {
  const written: string[] = [];
  const log = pino(
    { level: "trace", base: null, timestamp: false },
    { write: (line) => written.push(line) },
  );
  accessLog(log)({ ...REQUEST, ...request });
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line says who asked for what and how it went", () => {
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
  ["debug", { method: "GET", status: 200 }],
  ["debug", { method: "GET", status: 404 }],
  ["info", { method: "POST", status: 200 }],
  ["info", { method: "POST", status: 409 }],
  ["warn", { method: "GET", status: 401 }],
  ["warn", { method: "POST", status: 429 }],
  ["warn", { method: "POST", status: 502, fault: new Error("refused") }],
  ["warn", { method: "GET", status: 503, fault: new Error("away") }],
  ["error", { method: "POST", status: 500, fault: new Error("bug") }],
  ["debug", { route: "/health", status: 503 }],
])("level %s: %o", (level, request) => {
  expect(lines(request)[0]?.level).toBe(pino.levels.values[level]);
});

test("the cause is logged where the server is at fault, and only there", () => {
  const fault = new Error("the disk is full");
  expect(lines({ status: 500, fault })[0]).toHaveProperty("err");
  expect(lines({ status: 404, fault })[0]).not.toHaveProperty("err");
});
