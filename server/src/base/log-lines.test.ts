import { expect, test } from "bun:test";
import { createLog, readableLine } from "./log.ts";

/** @returns what a terminal shows of what was logged */
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

test("a line has its time, level and message first, then its fields", () => {
  const text = shown((log) => log.info({ url: "http://a", count: 2, list: ["a b"] }, "it listens"));
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}it listens url=http:\/\/a count=2 list=\["a b"\]\n$/,
  );
});

test("an error comes below its line, with its causes", () => {
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const [line, ...error] = shown((log) =>
    log.error({ err: new TypeError("no answer", { cause }) }, "it failed"),
  ).split("\n");
  expect(line).toMatch(/ ERROR it failed$/);
  expect(error[0]).toBe("  TypeError: no answer");
  expect(error[1]).toMatch(/^ {4}at /);
  expect(error).toContain("    Error ECONNREFUSED: refused");
});

test("nothing that is logged can repaint the terminal or forge a line", () => {
  const text = shown((log) =>
    log.warn({ "a\u001b": "\u001b[2J\nFORGED\u202e" }, "b\u009b\r\nFORGED"),
  );
  expect(text.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain("\\u001b[2J\\u000aFORGED\\u202e");
});

test("secrets are removed before a line becomes readable", () => {
  const text = shown(
    (log) => log.info({ secret: "x", url: "http://hunter2/" }, "hunter2"),
    ["hunter2"],
  );
  expect(text).not.toContain("hunter2");
  expect(text).toContain("secret=[redacted]");
});

test("what is no JSON stays as it is", () => {
  expect(readableLine("plain\n")).toBe("plain\n");
});
