import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Server } from "bun";
import type { Logger } from "pino";
import type { Part } from "../../base/parts.ts";

type Answer = (request: Request) => Promise<Response>;

const MAX_PATH_BYTES = 103;
const ANSWER_MS = 3_000;

/**
 * Opens a socket for the server's own user alone. Without one the server works, and logs why: the
 * path is too long, or another server of the folder has it, which steers all of the database.
 */
export function operatorSocket(answer: Answer, path: string, log: Logger): Part {
  let server: Server<undefined> | null = null;
  return {
    async start() {
      try {
        if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new Error("its path is too long");
        if (await isInUse(path)) throw new Error("another server has it");
        server = listen(answer, path);
      } catch (error) {
        log.warn({ err: error }, `tokend admin cannot reach this server: no socket at ${path}`);
      }
    },
    async stop() {
      if (server === null) return;
      await server.stop(true);
      rmSync(path, { force: true });
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
