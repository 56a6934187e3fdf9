import { errorTexts } from "@tokenctl/shared/errors";
import type { Server } from "bun";

export interface ServeOptions {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Far above what `readJson` admits, so that refusing a body is its answer and not Bun's empty one. */
const MAX_REQUEST_BODY_BYTES = 1024 ** 3;
/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_SECONDS = 30;

/** Listens, and hands each request to the app. */
export function listen(
  app: { fetch(request: Request): Response | Promise<Response> },
  { hostname, port }: ServeOptions,
): Server<undefined> {
  return Bun.serve({
    hostname,
    port,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
    development: false,
    fetch: (request) => app.fetch(request),
    error: () => Response.json({ error: errorTexts.internal }, { status: 500 }),
  });
}
