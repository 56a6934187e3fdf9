import { errorCodes } from "@tokenctl/shared/error-codes";
import type { ErrorBody, Health } from "@tokenctl/shared/types";
import type { Server } from "bun";
import type { Clock } from "../base/clock.ts";
import { explainListening } from "../base/loopback.ts";
import { ANSWER_HEADERS } from "./headers.ts";

export interface ListenOptions {
  readonly hostname: string;
  readonly port: number;
  readonly clock: Clock;
  readonly corsOrigins: readonly string[];
  readonly idleTimeoutSeconds?: number;
  readonly drain: Readonly<Drain>;
}

/** A draining server still answers, but closes each connection, so that balancers keep none. */
export interface Drain {
  isDraining: boolean;
}

/** Far above `readJson`'s limit, so that large bodies get our 413 instead of Bun's empty one. */
const MAX_REQUEST_BODY_BYTES = 1024 ** 3;
/**
 * Seconds after which Bun closes an idle connection. Slow bytes do not extend it (Bun 1.4.5: only
 * 16 KiB within a second do). Clients that poll every ten seconds keep their connection.
 */
const IDLE_TIMEOUT_SECONDS = 20;

/** Null without a server. If a route read `server` in Elysia's context, all would be slower. */
export type CurrentServer = () => Server<unknown> | null;

interface Conversation {
  readonly server: Pick<Server<unknown>, "timeout"> | null;
  readonly request: Request;
}

export interface App {
  server: Server<unknown> | null;
  fetch(request: Request): Response | Promise<Response>;
}

/**
 * Answers that the server is starting until an app serves. `app.listen` would share the port, close
 * idle connections after 30 s and add a `beforeExit` listener each time (Elysia 1.4.30).
 */
export function openPort({
  hostname,
  port,
  clock,
  corsOrigins,
  idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS,
  drain,
}: ListenOptions) {
  const corsAnswer = corsAnswers(corsOrigins);
  let app: Pick<App, "fetch"> = {
    fetch: (request) => answerWhileStarting(request, clock, corsAnswer(request)),
  };
  const serve = () =>
    Bun.serve({
      hostname,
      port,
      // By default, Bun with `development: false` shares the port with other programs.
      reusePort: false,
      idleTimeout: idleTimeoutSeconds,
      maxRequestBodySize: MAX_REQUEST_BODY_BYTES,
      development: false,
      fetch: (request) => (drain.isDraining ? answerAndClose(app, request) : app.fetch(request)),
      error: () =>
        Response.json(
          { error: errorCodes.internal_error.text, code: "internal_error" },
          { status: 500, headers: ANSWER_HEADERS },
        ),
    });
  const remedy = "set PORT to another";
  const server = explainListening(serve, { hostname, port, remedy });
  return {
    server,
    serve(started: App): void {
      started.server = server;
      app = started;
    },
  };
}

async function answerAndClose(app: Pick<App, "fetch">, request: Request): Promise<Response> {
  const response = await app.fetch(request);
  response.headers.set("connection", "close");
  return response;
}

/** Answers without Elysia, which takes longer to load than all of this. */
function answerWhileStarting({ url, method }: Request, clock: Clock, cors: CorsAnswer): Response {
  const headers = { ...ANSWER_HEADERS, "x-request-id": crypto.randomUUID(), ...cors.headers };
  // Otherwise a browser would not send the request, and the page would not see this answer.
  if (cors.isPreflight) return new Response(null, { status: 204, headers });
  const { status, text } = errorCodes.starting;
  const fault: ErrorBody = { error: text, code: "starting" };
  const isHealth = new URL(url).pathname === "/health" && (method === "GET" || method === "HEAD");
  const timestamp = new Date(clock.now()).toISOString();
  const health: Health = { ok: false, db: "disconnected", timestamp, message: text, ...fault };
  return Response.json(isHealth ? health : fault, {
    status,
    headers: { ...headers, "retry-after": "1" },
  });
}

/** A transaction confirms or expires within 90 s, and a few RPC requests follow. */
const LONG_ANSWER_SECONDS = 150;

/** Extends a request's time. Called after the body is read, so that slow senders gain no time. */
export async function longAnswer<Answer>(
  { server, request }: Conversation,
  answer: () => Promise<Answer>,
  idleSeconds = IDLE_TIMEOUT_SECONDS,
): Promise<Answer> {
  server?.timeout(request, LONG_ANSWER_SECONDS);
  try {
    return await answer();
  } finally {
    server?.timeout(request, idleSeconds);
  }
}

const SLOW_READER_SECONDS = 30;

export interface StreamSource<Piece> {
  /** Returns the next piece once there is one; null at the end. Called when the client has room. */
  next(): Promise<Piece | null>;
  close(): void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  // Otherwise nginx would buffer the answer.
  "x-accel-buffering": "no",
  // The connection no longer has an idle timeout.
  connection: "close",
} as const;

/**
 * Buffers one piece, and asks for no more while the client does not read; a client that reads too
 * slowly is disconnected. Bun treats a stream below 16 KiB a second as idle (1.4.5), so its timeout
 * is on only while the client has something to read.
 */
export function eventStream<Piece>(
  { server, request }: Conversation,
  source: StreamSource<Piece>,
  toText: (piece: Piece) => string,
  slowReaderSeconds = SLOW_READER_SECONDS,
): Response {
  const encoder = new TextEncoder();
  // A client that leaves before the answer begins does not cancel the body.
  if (request.signal.aborted) source.close();
  else request.signal.addEventListener("abort", () => source.close(), { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        server?.timeout(request, 0);
        let piece: Piece | null = null;
        try {
          piece = await source.next();
        } finally {
          server?.timeout(request, slowReaderSeconds);
        }
        if (request.signal.aborted) return;
        if (piece !== null) return controller.enqueue(encoder.encode(toText(piece)));
        source.close();
        controller.close();
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}

export const eventStreamHead = () => new Response(null, { headers: HEADERS });

/** What API requests need beyond what every page may send. `solana-client` is for `/dev/rpc`. */
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, idempotency-key, last-event-id, solana-client",
  /** In seconds: browsers ask again after at most two hours. */
  "access-control-max-age": "7200",
} as const;

const EXPOSED = "x-request-id, retry-after";

interface CorsAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request only asks for permission, so that these headers are the whole answer. */
  readonly isPreflight: boolean;
}

/** The Fetch standard's CORS protocol; `*` allows all origins. Allows no cookies: none are used. */
export function corsAnswers(origins: readonly string[]): (request: Request) => CorsAnswer {
  const allowsAll = origins.includes("*");
  const allowed = new Set(origins);
  // A cache must not serve one origin's answer to another.
  const vary = allowsAll || origins.length === 0 ? {} : { vary: "Origin" };
  return ({ method, headers }) => {
    const origin = headers.get("origin");
    if (origin === null || !(allowsAll || allowed.has(origin))) {
      return { headers: vary, isPreflight: false };
    }
    const isPreflight = method === "OPTIONS" && headers.has("access-control-request-method");
    return {
      isPreflight,
      headers: {
        ...vary,
        "access-control-allow-origin": allowsAll ? "*" : origin,
        "access-control-expose-headers": EXPOSED,
        ...(isPreflight && PREFLIGHT_HEADERS),
      },
    };
  };
}
