import { writeSync } from "node:fs";
import { CliError } from "./errors.ts";
import { exitCodes } from "./exit.ts";

const STDOUT = 1;
const STDERR = 2;

/** The process as a command sees it, so that a test can run commands inside its own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Stream;
  readonly err: Stream;
  /**
   * Registers what Ctrl-C and a polite kill do.
   *
   * @returns takes the registration back
   */
  onInterrupt(listener: () => void): () => void;
}

interface Stream {
  /** @throws {CliError} `output_failed`, on stdout alone: a failure of stderr cannot be told */
  write(text: string): void;
  isTerminal(): Promise<boolean>;
}

/** The real process. */
export const processWorld: World = {
  env: process.env,
  out: fileStream(STDOUT),
  err: fileStream(STDERR),
  onInterrupt(listener) {
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    let isInterrupted = false;
    const onSignal = () => {
      // Whoever asks twice does not want to wait for a tidy end.
      if (isInterrupted) process.exit(exitCodes.interrupted);
      isInterrupted = true;
      listener();
    };
    for (const signal of signals) process.on(signal, onSignal);
    return () => {
      for (const signal of signals) process.off(signal, onSignal);
    };
  },
};

/**
 * Writes to the descriptor itself: merely touching `process.stdout` takes Bun 10 ms or more, half
 * as long again as the whole of `tokenctl --help`, and a process that ends right after would have
 * to wait for it to drain.
 */
function fileStream(descriptor: number): Stream {
  let isClosed = false;
  return {
    write(text) {
      const bytes = Buffer.from(text);
      for (let offset = 0; offset < bytes.length && !isClosed; ) {
        try {
          offset += writeSync(descriptor, bytes, offset);
        } catch (cause) {
          const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
          if (code === "EAGAIN") {
            pauseBriefly();
            continue;
          }
          isClosed = true;
          // A reader that has had enough (`| head`) is no failure of what the command did.
          if (code !== "EPIPE" && descriptor === STDOUT) throw outputFailed(code, cause);
        }
      }
    },
    isTerminal: async () => (await import("node:tty")).isatty(descriptor),
  };
}

/** Waits for the reader of a pipe that is full and was made non-blocking by whoever started us. */
function pauseBriefly(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

function outputFailed(code: string, cause: unknown): CliError {
  const why = code === "ENOSPC" ? "there is no space left" : code;
  return new CliError("output_failed", `Cannot write the result: ${why}`, {
    hint: "The command itself was carried out. Send its output elsewhere",
    cause,
  });
}
