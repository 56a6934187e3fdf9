import { writeSync } from "node:fs";
import { CliError, exitCodes, systemCode } from "./errors.ts";
import { readText } from "./own-files.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/** The files that Bun reads for any value of `NODE_ENV`. */
const ENV_FILES = ["", ".local", ".development", ".production", ".test"].flatMap((kind) => [
  `.env${kind}`,
  `.env${kind}.local`,
]);

/** The process as a command sees it; tests replace it. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Stream;
  readonly err: Stream;
  /** Calls the listener on Ctrl-C, SIGTERM and SIGHUP, and returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
  /** Whether stdin, stdout and stderr are all terminals; in a pipe the command is a script's. */
  canAsk(): Promise<boolean>;
  /** Asks for a line at a terminal. @throws {CliError} `aborted` on Ctrl-C and Ctrl-D */
  ask(prompt: string, signal: AbortSignal): Promise<string>;
}

interface Stream {
  /** Returns false once its reader has gone. @throws {CliError} `output_failed` on stdout */
  write(text: string): boolean;
  isTerminal(): Promise<boolean>;
  /** The terminal's width in cells; null if unknown. */
  columns(): Promise<number | null>;
}

export const processWorld: World = {
  env: withoutEnvFiles(process.env),
  out: fileStream(STDOUT),
  err: fileStream(STDERR),
  canAsk: async () => {
    const { isatty } = await import("node:tty");
    return [STDIN, STDOUT, STDERR].every((descriptor) => isatty(descriptor));
  },
  ask,
  onInterrupt(listener) {
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    let isInterrupted = false;
    const onSignal = () => {
      // A second signal ends the process at once.
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

/** Writes to the descriptor: Bun needs 10 ms for its first `process.stdout`, which has to drain. */
function fileStream(descriptor: number): Stream {
  let isClosed = false;
  return {
    write(text) {
      const bytes = Buffer.from(text);
      for (let offset = 0; offset < bytes.length && !isClosed; ) {
        try {
          offset += writeSync(descriptor, bytes, offset);
        } catch (cause) {
          const code = systemCode(cause);
          if (code === "EAGAIN") {
            // Wait 5 ms for the reader of a full, non-blocking pipe.
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
            continue;
          }
          isClosed = true;
          // If the reader stops early (`| head`), the command has still succeeded.
          if (code === "EPIPE" || descriptor !== STDOUT) continue;
          const hint = "The command was carried out. Send its output elsewhere";
          throw new CliError("output_failed", `Cannot write the result (${code})`, { hint, cause });
        }
      }
      return !isClosed;
    },
    isTerminal: async () => (await import("node:tty")).isatty(descriptor),
    columns: async () => {
      const stream = descriptor === STDOUT ? process.stdout : process.stderr;
      return stream.isTTY && stream.columns > 0 ? stream.columns : null;
    },
  };
}

/**
 * Removes what Bun itself reads from `.env` files in the current folder. A stranger's folder could
 * name another server and wallet. Node and the compiled binary read no such files.
 *
 * Returns the variables that the process started with. On systems that do not show them, returns
 * the environment without every variable that the files name.
 */
function withoutEnvFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isCompiled = import.meta.url.includes("$bunfs") || import.meta.url.includes("~BUN");
  if (!("Bun" in globalThis) || isCompiled) return env;
  const text = ENV_FILES.map(readText).join("\n");
  const named = Array.from(text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm), ([, name = ""]) => name);
  if (named.length === 0) return env;
  const started = startedWith();
  const own = Object.entries(env).filter(([name]) => !named.includes(name));
  return { ...Object.fromEntries(own), ...Object.fromEntries(started) };
}

/** Returns the variables that the process started with; empty except on Linux. */
function startedWith(): [string, string][] {
  const pairs = readText("/proc/self/environ").split("\0").filter(Boolean);
  return pairs.map((pair) => [pair.split("=", 1)[0] ?? "", pair.replace(/^[^=]*=/, "")]);
}

async function ask(prompt: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const { stdin: input, stderr: output } = process;
  const lines = createInterface({ input, output, terminal: true });
  const stop = new AbortController();
  lines.once("SIGINT", () => stop.abort());
  // Ctrl-D or a lost terminal closes the interface; without this the question would never end.
  lines.once("close", () => stop.abort());
  try {
    return await lines.question(prompt, { signal: AbortSignal.any([signal, stop.signal]) });
  } catch (cause) {
    throw new CliError("aborted", "Interrupted", { cause });
  } finally {
    lines.close();
  }
}
