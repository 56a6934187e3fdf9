import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { scrub, serializeError } from "./log.ts";

test("a logged error keeps its name, code, message, frames and causes", () => {
  const cause = Object.assign(new TypeError("no connection"), { code: "ECONNREFUSED" });
  const logged = serializeError(new RangeError("out of reach", { cause }));
  expect(logged).toMatchObject({
    type: "RangeError",
    message: "out of reach",
    cause: { type: "TypeError", code: "ECONNREFUSED", message: "no connection" },
  });
  expect(logged.frames?.[0]).toMatch(/^at .*log-error\.test\.ts/);
});

test("a logged error does not contain the URL of a failed fetch", async () => {
  const url = "http://127.0.0.1:9/v2/0123456789abcdef?api-key=fedcba9876543210";
  const error: unknown = await fetch(url).catch((fault: unknown) => fault);
  expect(JSON.stringify(error)).toContain("0123456789abcdef");
  const logged = JSON.stringify(serializeError(error));
  expect(logged).toContain("ECONNREFUSED");
  expect(logged).not.toContain("0123456789abcdef");
  expect(logged).not.toContain("fedcba9876543210");
});

test("a logged error does not contain the values of a failed query", () => {
  const cause = new Error("no such table: nothing");
  const error = new DrizzleQueryError(
    "insert into nothing values (?)",
    ["what an agent wrote"],
    cause,
  );
  expect(String(error)).toContain("what an agent wrote");
  const logged = JSON.stringify(serializeError(error));
  expect(logged).toContain("no such table");
  expect(logged).not.toContain("what an agent wrote");
});

test.each([
  ["see https://rpc.example/KEY now", "see [url] now"],
  ["wss://user:pass@rpc.example", "[url]"],
  [`signature ${"5".repeat(88)} unknown`, "signature [redacted] unknown"],
  [`secret ${"0af".repeat(22)}`, "secret [redacted]"],
  ["wallet 7Y8CUzw1R2ZvdfBHq7hDyoUxWH8k7Cwjx9o2xbcQbF2J", undefined],
  ["at height 151, slot 9", undefined],
])("%j contains no URL and no secret once it is scrubbed", (text, scrubbed = text) => {
  expect(scrub(text)).toBe(scrubbed);
});

test("rings of causes, endless messages and other values than errors can be logged", () => {
  const ring = new Error("ring");
  ring.cause = ring;
  expect(JSON.stringify(serializeError(ring)).length).toBeLessThan(20_000);
  expect(serializeError(new Error("long ".repeat(1_000_000))).message.length).toBeLessThan(600);
  expect(serializeError("thrown text")).toEqual({ type: "string", message: "thrown text" });
  expect(serializeError(undefined)).toEqual({ type: "undefined", message: "undefined" });
});
