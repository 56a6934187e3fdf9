import { Elysia } from "elysia";

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

/** Calls the observers for each answered request. `errorsPlugin` ends failed ones, `watchPlugin` the others. */
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

/**
 * Reports the requests that succeed.
 *
 * Each hook destructures what it uses: if a hook takes the whole context, Elysia assumes that it
 * uses the body, and reads that before the route does. Each hook has braces: Elysia takes an arrow
 * function without them that only calls another for asynchronous, and awaits it at every request.
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
