import { errorTexts } from "@tokenctl/shared/errors";
import type { Server } from "bun";

export interface ServeOptions {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Far above what `readJson` admits, so that refusing a body is its answer and not Bun's empty one. */
const MAX_REQUEST_BODY_BYTES = 1024 ** 3;
/**
 * Seconds after which a connection is closed that has not sent a whole request, or waits for an
 * answer. Bytes that trickle in do not stretch it: Bun restarts it only with a request's end, or
 * with 16 KiB a second (measured with Bun 1.4.5; it looks every four seconds).
 */
export const IDLE_TIMEOUT_SECONDS = 30;

/** An Elysia app; its routes ask the server where a request came from, and for more time. */
interface App {
  server: Server<unknown> | null;
  fetch(request: Request): Response | Promise<Response>;
}

/** Listens, and hands each request to the app. */
export function listen(app: App, { hostname, port }: ServeOptions): Server<undefined> {
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
    development: false,
    fetch: (request) => app.fetch(request),
    error: () => Response.json({ error: errorTexts.internal }, { status: 500 }),
  });
  app.server = server;
  return server;
}
