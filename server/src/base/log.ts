import { constants, openSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import pino, { type DestinationStream, type LevelWithSilent, type Logger } from "pino";

function stderr(isTerminal: boolean): DestinationStream {
  const lines = new StderrLines();
  return isTerminal ? { write: (line) => lines.write(readableLine(line)) } : lines;
}

/** Logs JSON lines to stderr, or readable ones on a terminal, without the texts in `secrets`. */
export function createLog(
  level: LevelWithSilent,
  secrets: readonly string[] = [],
  destination: DestinationStream = stderr(isatty(2)),
): Logger {
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => serializeError(error) },
      hooks: {
        streamWrite: (line) =>
          escaped.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), line),
      },
    },
    destination,
  );
}

export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly frames?: readonly string[];
  readonly cause?: LoggedError;
}

/** How many causes of an error are followed: causes may form a cycle. */
const MAX_DEPTH = 5;
const MAX_FRAMES = 12;
const MAX_MESSAGE = 500;

/** URLs may contain API keys, especially those of RPC nodes. */
const URL = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi;
/** Long enough for a token, a key, a signature or a transaction, in hex, base58 or base64. */
const LONG_RUN = /[A-Za-z0-9+/=_-]{60,}/g;

/** Keeps what is safe to log: other properties and drizzle's message may contain secrets. */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: scrub(String(error)) };
  const code = "code" in error ? String(error.code) : undefined;
  const frames = stackFrames(error);
  return {
    type: error.name,
    ...(code !== undefined && { code: scrub(code) }),
    message: scrub(error.message),
    ...(frames.length > 0 && { frames }),
    ...(error.cause !== undefined &&
      depth < MAX_DEPTH && { cause: serializeError(error.cause, depth + 1) }),
  };
}

export function scrub(text: string): string {
  // drizzle: "Failed query: …\nparams: …".
  const statement = text.split("\nparams:")[0] ?? "";
  const scrubbed = statement.replace(URL, "[url]").replace(LONG_RUN, "[redacted]");
  return scrubbed.length > MAX_MESSAGE ? `${scrubbed.slice(0, MAX_MESSAGE)}…` : scrubbed;
}

function stackFrames({ stack }: Error): string[] {
  const frames = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return frames.slice(0, MAX_FRAMES).map((frame) => frame.trim());
}

/** Formats a line for a terminal: time, level, message, and the other fields as JSON. */
export function readableLine(line: string): string {
  let record: Record<string, string> = { time: "", level: "", msg: line.trimEnd() };
  try {
    record = JSON.parse(line);
  } catch {} // A secret was cut out of a number.
  const { time, level, msg = "", ...fields } = record;
  const rest = Object.keys(fields).length > 0 ? JSON.stringify(fields) : "";
  const text = escaped(`${msg} ${rest}`).trimEnd();
  return `${time?.slice(11, 23)} ${level?.toUpperCase().padEnd(5)} ${text}\n`;
}

/** Escapes control characters and marks that change the writing direction, as JSON does. */
function escaped(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

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
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => {});
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
