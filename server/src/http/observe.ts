import type { Level, Logger } from "pino";

/** A request that was answered, without its body, headers or query. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, for example `/api/v1/tokens/:mintAddress`; null if none matched. */
  readonly route: string | null;
  readonly status: number;
  /** Milliseconds from the request's headers to its answer. */
  readonly duration: number;
  /** The agent; null without sign-in. */
  readonly wallet: string | null;
  /** The launch that the request reads or makes, if any. */
  readonly eventId: string | null;
  /** The error behind the answer, for logs only; null if there is none. */
  readonly fault: unknown;
}

/** Called for every request when it is answered. Must not throw. */
export type RequestObserver = (request: AnsweredRequest) => void;

/** The key in a request's `set` that holds the time at which the request started. */
const STARTED = Symbol("started");

/** The part of Elysia's context that {@link RequestWatch} reads. */
export interface WatchedContext {
  readonly request: Request;
  readonly set: { readonly headers: Record<string, unknown>; [STARTED]?: number };
  readonly route: string | undefined;
  readonly params: unknown;
  readonly wallet: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Calls the observers for each answered request. `errorsPlugin` ends failed ones, `requestsPlugin` the others. */
export class RequestWatch {
  readonly #observers: readonly RequestObserver[];

  constructor(observers: readonly RequestObserver[]) {
    this.#observers = observers;
  }

  begin(set: WatchedContext["set"]): void {
    set[STARTED] = performance.now();
  }

  /** @param value the answer's body if the request succeeded */
  end(context: WatchedContext, status: number, value: unknown, fault: unknown): void {
    const { request, set, route, params, wallet } = context;
    const answered: AnsweredRequest = {
      requestId: String(set.headers["x-request-id"] ?? ""),
      method: request.method,
      route: route ?? null,
      status,
      duration: performance.now() - (set[STARTED] ?? Number.NaN),
      wallet,
      eventId: eventIdOf(params) ?? eventIdOf(value),
      fault,
    };
    for (const observe of this.#observers) observe(answered);
  }
}

function eventIdOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("eventId" in value)) return null;
  return typeof value.eventId === "string" && UUID.test(value.eventId) ? value.eventId : null;
}

/**
 * Logs one line per request: writes at `info`, reads at `debug`, refused sign-ins and exceeded
 * limits at `warn`, and failures of the server at `warn` or `error`, with their cause. Never logs a
 * body, a header, a query or a path as it was sent.
 */
export function accessLog(log: Logger): RequestObserver {
  return (request) => {
    const level = levelOf(request);
    if (!log.isLevelEnabled(level)) return;
    const { duration, wallet, eventId, fault, ...line } = request;
    const about = {
      ...(wallet !== null && { wallet }),
      ...(eventId !== null && { eventId }),
      ...(fault !== null && line.status >= 500 && { err: fault }),
    };
    log[level]({ ...line, ms: Math.round(duration * 1000) / 1000, ...about }, "request");
  };
}

function levelOf({ method, route, status }: AnsweredRequest): Level {
  // Monitoring polls this every few seconds; the monitors themselves log each change.
  if (route === "/health") return "debug";
  if (status === 500) return "error";
  if (status > 500 || status === 401 || status === 429) return "warn";
  return method === "GET" || method === "HEAD" ? "debug" : "info";
}
