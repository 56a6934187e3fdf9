import { Elysia } from "elysia";

/** A request that has its answer. Nothing in it is secret. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, for example `/api/v1/tokens/:mintAddress`; null where none matched. */
  readonly route: string | null;
  readonly status: number;
  /** From the request's headers to its answer, in milliseconds. */
  readonly duration: number;
  /** The agent; null where nobody signed in. */
  readonly wallet: string | null;
  /** The launch that it is about, if any. */
  readonly eventId: string | null;
  /** What went wrong, for logs only; null when nothing did. */
  readonly fault: unknown;
}

/** What is told of every request once it is answered. Must not throw. */
export type RequestObserver = (request: AnsweredRequest) => void;

/** Under which the time of a request's beginning is kept in its `set`. */
const STARTED = Symbol("started");

/** What of Elysia's context is looked at. */
export interface WatchedContext {
  readonly request: Request;
  readonly set: { readonly headers: Record<string, unknown>; [STARTED]?: number };
  readonly route: string | undefined;
  readonly params: unknown;
  readonly wallet: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tells observers of requests; the errors plugin reports the failed ones, this one the others. */
export class RequestWatch {
  readonly #observers: readonly RequestObserver[];

  constructor(observers: readonly RequestObserver[]) {
    this.#observers = observers;
  }

  begin(set: WatchedContext["set"]): void {
    set[STARTED] = performance.now();
  }

  /** @param value the answer's body where it succeeded */
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

/**
 * Reports the requests that succeed.
 *
 * Hooks name what they use of the context: from a function that takes it whole, Elysia concludes
 * that the body is used, and reads it before the route does. An arrow that is only a call it takes
 * for asynchronous, and awaits at every request: hence the braces.
 */
export function watchPlugin(watch: RequestWatch) {
  return new Elysia({ name: "watch" })
    .decorate("wallet", null as string | null)
    .onRequest(({ set }) => {
      watch.begin(set);
    })
    .onAfterHandle({ as: "global" }, ({ request, set, route, params, wallet, responseValue }) => {
      const status = responseValue instanceof Response ? responseValue.status : set.status;
      const context = { request, set, route, params, wallet };
      watch.end(context, Number(status ?? 200), responseValue, null);
    });
}

function eventIdOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("eventId" in value)) return null;
  return typeof value.eventId === "string" && UUID.test(value.eventId) ? value.eventId : null;
}
