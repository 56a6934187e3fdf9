import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { createLog, readableLine, type Send, StderrLines, scrub, serializeError } from "./log.ts";

/** Returns what a terminal shows of the logged lines. */
function shown(write: (log: ReturnType<typeof createLog>) => void, secrets: string[] = []): string {
  let text = "";
  write(
    createLog("trace", secrets, {
      write: (line) => {
        text += readableLine(line);
      },
    }),
  );
  return text;
}

test("a line on a terminal has its time, level and message first, then its fields", () => {
  const text = shown((log) => log.info({ url: "http://a", count: 2 }, "it listens"));
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}it listens \{"url":"http:\/\/a","count":2\}\n$/,
  );
});

test("nothing that is logged can repaint the terminal or forge a line", () => {
  const text = shown((log) =>
    log.warn({ "a\u001b": "\u001b[2J\nFORGED\u202e" }, "b\u009b\r\nFORGED"),
  );
  expect(text.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain("\\u001b[2J\\nFORGED\\u202e");
});

test("secrets are removed before a line becomes readable", () => {
  const text = shown((log) => log.info({ url: "http://hunter2/" }, "hunter2"), ["hunter2"]);
  expect(text).not.toContain("hunter2");
  expect(text).toContain('"url":"http://[redacted]/"');
});

test("a secret of digits that is part of a number costs no line of a terminal", () => {
  const text = shown((log) => log.info({ lamports: 51234567 }, "it is paid"), ["123456"]);
  expect(text).toContain('"lamports":5[redacted]7,"msg":"it is paid"}\n');
});

test("a logged error keeps its name, code, message, frames and causes", () => {
  const cause = Object.assign(new TypeError("no connection"), { code: "ECONNREFUSED" });
  const logged = serializeError(new RangeError("out of reach", { cause }));
  expect(logged).toMatchObject({
    type: "RangeError",
    message: "out of reach",
    cause: { type: "TypeError", code: "ECONNREFUSED", message: "no connection" },
  });
  expect(logged.frames?.[0]).toMatch(/^at .*log\.test\.ts/);
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

/** Logs more than a pipe and a terminal hold, then exits with 7. */
const PROGRAM = `
  const { createLog } = await import(${JSON.stringify(`${import.meta.dir}/log.ts`)});
  const log = createLog("info");
  for (let line = 0; line < 20_000; line++) log.info({ text: "x".repeat(200) }, "a line");
  setTimeout(() => process.exit(7), 10);
`;
const COMMAND = [process.execPath, "-e", PROGRAM];
const TIMEOUT_MS = 60_000;

test.each(["a pipe without a reader", "a full disk"])("%s does not stop who logs", async (name) => {
  const stderr = name === "a full disk" ? openSync("/dev/full", "w") : "pipe";
  const child = Bun.spawn(COMMAND, { stdout: "ignore", stderr, timeout: TIMEOUT_MS });
  expect(await child.exited).toBe(7);
});

test("a paused terminal does not stop who logs", async () => {
  const paused = Promise.withResolvers<void>();
  await using terminal = new Bun.Terminal({ cols: 80, rows: 24, data: () => paused.resolve() });
  // Ctrl-S pauses the terminal.
  terminal.write("\x13");
  const child = Bun.spawn(COMMAND, { terminal, timeout: TIMEOUT_MS });
  expect(await child.exited).toBe(7);
});

test("lines that nothing takes are lost beyond a bound, and counted in the next that is written", () => {
  const done: Parameters<Send>[1][] = [];
  let written = "";
  const lines = new StderrLines((text, isDone) => {
    written += text;
    done.push(isDone);
  });
  const line = `${"x".repeat(99_999)}\n`;
  for (let count = 0; count < 15; count++) lines.write(line);
  expect(written).toBe(line.repeat(10));
  for (const isDone of done.splice(1)) isDone();
  done[0]?.(new Error("ENOSPC"));
  written = "";
  lines.write("next\n");
  const [told, next] = written.split("\n");
  expect(JSON.parse(told ?? "")).toMatchObject({ level: "warn", lines: 6 });
  expect(next).toBe("next");
});
