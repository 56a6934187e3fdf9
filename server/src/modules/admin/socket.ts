import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Server } from "bun";
import type { Logger } from "pino";
import type { App } from "../../http/listen.ts";

type AdminApp = Pick<App, "fetch">;

/** The longest path of a Unix socket on Linux, in bytes; macOS takes four fewer. */
const MAX_PATH_BYTES = 103;

const ANSWER_MS = 3_000;

/**
 * Only the server's own user can open it. Without one the server works, and logs why. @param paths the
 * socket's, and those to use if another server has it
 */
export async function listenForOperator(
  createApp: () => AdminApp,
  paths: readonly string[],
  log: Logger,
): Promise<AsyncDisposable | null> {
  for (const path of paths) {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      log.warn(
        `tokend admin cannot reach this server: the path of its socket is too long (${path})`,
      );
      return null;
    }
    if (await isInUse(path)) continue;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      return open(createApp, path);
    } catch (error) {
      log.warn({ err: error }, `tokend admin cannot reach this server: no socket at ${path}`);
      return null;
    }
  }
  log.warn("tokend admin cannot reach this server: other servers have its sockets");
  return null;
}

function open(createApp: () => AdminApp, path: string): AsyncDisposable {
  let app: AdminApp | undefined;
  // Of a server that was killed.
  rmSync(path, { force: true });
  const before = process.umask(0o177);
  let server: Server<undefined>;
  try {
    server = Bun.serve({
      unix: path,
      development: false,
      fetch(request) {
        app ??= createApp();
        return app.fetch(request);
      },
    });
    chmodSync(path, 0o600);
  } finally {
    process.umask(before);
  }
  return {
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

/** Also one that does not answer now. */
async function isInUse(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  try {
    await fetch("http://tokend", { unix: path, signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError";
  }
}
