import { errorTexts } from "@tokenctl/shared/errors";
import type { Server } from "bun";
import { explainTakenPort } from "../base/port-taken.ts";
import { ANSWER_HEADERS } from "./answer-headers.ts";

export interface ServeOptions {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly idleTimeoutSeconds?: number;
}

/** Far above what `readJson` admits, so that refusing a body is its answer and not Bun's empty one. */
const MAX_REQUEST_BODY_BYTES = 1024 ** 3;
/**
 * Seconds after which a connection is closed that has not sent a whole request, that waits for an
 * answer or for its reader. Bytes that trickle in do not stretch it: Bun counts on unless 16 KiB
 * come in a second, and looks every four seconds (measured with Bun 1.4.5). Clients that poll every
 * ten seconds keep their connection.
 */
export const IDLE_TIMEOUT_SECONDS = 20;

/**
 * The server that an app runs on; null where it runs without one. Routes are handed this instead of
 * `server` in their context: one route that wants that makes the requests of all dearer.
 */
export type CurrentServer = () => Server<unknown> | null;

/** An Elysia app; its routes ask the server where a request came from, and for more time. */
interface App {
  server: Server<unknown> | null;
  fetch(request: Request): Response | Promise<Response>;
}

/**
 * Listens, and hands each request to the app.
 *
 * @throws {Error} where the port is taken
 */
export function listen(
  app: App,
  { hostname, port, idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS }: ServeOptions,
): Server<undefined> {
  const serve = () =>
    Bun.serve({
      hostname,
      port,
      // With `development: false` Bun shares a port by default, with whatever else listens there.
      reusePort: false,
      idleTimeout: idleTimeoutSeconds,
      maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
      development: false,
      fetch: (request) => app.fetch(request),
      error: () =>
        Response.json({ error: errorTexts.internal }, { status: 500, headers: ANSWER_HEADERS }),
    });
  const remedy = "set PORT to another";
  const server = explainTakenPort(serve, { hostname, port, remedy });
  app.server = server;
  return server;
}
