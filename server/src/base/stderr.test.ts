import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { type Send, StderrLines } from "./stderr.ts";

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
