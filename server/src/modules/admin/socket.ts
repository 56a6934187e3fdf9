import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Server } from "bun";
import type { Logger } from "pino";
import type { Part } from "../../base/parts.ts";

type Answer = (request: Request) => Promise<Response>;

/** The longest path of a Unix socket that Linux and macOS accept, in bytes. */
const MAX_PATH_BYTES = 103;

const ANSWER_MS = 3_000;

/**
 * Opens a socket for the server's own user alone. Without one the server works, and logs why.
 * @param paths the socket's path, then those to try if another server uses it
 */
export function operatorSocket(answer: Answer, paths: readonly string[], log: Logger): Part {
  let server: Server<undefined> | null = null;
  let file = "";
  return {
    async start() {
      const without = "tokend admin cannot reach this server";
      for (const path of paths) {
        if (Buffer.byteLength(path) > MAX_PATH_BYTES)
          return log.warn(`${without}: the path of its socket is too long (${path})`);
        if (await isInUse(path)) continue;
        try {
          server = listen(answer, path);
          file = path;
        } catch (error) {
          log.warn({ err: error }, `${without}: no socket at ${path}`);
        }
        return;
      }
      log.warn(`${without}: other servers have its sockets`);
    },
    async stop() {
      if (server === null) return;
      await server.stop(true);
      rmSync(file, { force: true });
    },
  };
}

function listen(answer: Answer, path: string): Server<undefined> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A server that was killed may have left it.
  rmSync(path, { force: true });
  const before = process.umask(0o177);
  try {
    const server = Bun.serve({ unix: path, development: false, fetch: answer });
    chmodSync(path, 0o600);
    return server;
  } finally {
    process.umask(before);
  }
}

/** Counts a server that does not answer in time as running. */
async function isInUse(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  try {
    await fetch("http://tokend", { unix: path, signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError";
  }
}
