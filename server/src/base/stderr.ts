import { constants, openSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** How many characters may wait for stderr to be read: about 5,000 lines. */
const MOST_WAITING = 1_000_000;
/** Milliseconds between two attempts to write to a blocked terminal. */
const RETRY_MS = 100;

/** Writes without blocking. Calls `done` when the text is written or lost, perhaps at once. */
export type Send = (text: string, done: (error?: Error | null) => void) => void;

/**
 * Writes lines to stderr without ever blocking the process: a paused terminal, a pipe without a
 * reader or a full disk costs lines, not the service. A count of lost lines precedes the next one.
 */
export class StderrLines implements DestinationStream {
  #waiting = 0;
  #lost = 0;

  constructor(private readonly send: Send = process.stderr.isTTY ? toTerminal() : toStream()) {}

  write(line: string): void {
    if (this.#waiting + line.length > MOST_WAITING) {
      this.#lost += 1;
      return;
    }
    const lost = this.#lost;
    this.#lost = 0;
    this.#waiting += line.length;
    const before = lost === 0 ? "" : lostLine(lost);
    this.send(before + line, (error) => {
      this.#waiting -= line.length;
      if (error) this.#lost += lost + 1;
    });
  }
}

function lostLine(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: "warn", time, lines, msg: "lines of the log were lost: nothing reads stderr, or its disk is full" })}\n`;
}

/** Uses `process.stderr`, by which Bun writes to pipes, sockets and files without blocking. */
function toStream(): Send {
  process.stderr.on("error", () => {});
  return (text, done) => process.stderr.write(text, done);
}

/** Opens the terminal as non-blocking: otherwise Bun blocks on a paused one. */
function toTerminal(): Send {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  const fd = openSync("/dev/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY);
  const waiting: { bytes: Buffer; readonly done: (error?: Error) => void }[] = [];
  const writeAll = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      try {
        next.bytes = next.bytes.subarray(writeSync(fd, next.bytes));
        if (next.bytes.length > 0) continue;
        waiting.shift();
        next.done();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") {
          setTimeout(writeAll, RETRY_MS).unref();
          return;
        }
        waiting.shift();
        next.done(error as Error);
      }
    }
  };
  return (text, done) => {
    const isIdle = waiting.push({ bytes: Buffer.from(text), done }) === 1;
    if (isIdle) writeAll();
  };
}
