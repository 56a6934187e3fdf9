import { isStorable } from "@tokenctl/shared/contract/request-text";
import { isUuid } from "@tokenctl/shared/uuid";
import { Elysia } from "elysia";
import type { Level, Logger } from "pino";
import { hostFilter } from "../base/loopback.ts";
import { ServiceError } from "../base/service-error.ts";
import { validationError } from "./body.ts";
import { ANSWER_HEADERS, corsAnswers } from "./headers.ts";

/**
 * Begins and ends each request. Elysia's CORS plugin would answer every unknown path with 405. Each
 * hook destructures its parameter, otherwise Elysia reads the body first, and has braces, because
 * Elysia awaits an arrow function that only calls another.
 */
export function requestsPlugin(
  watch: RequestWatch,
  of: { readonly corsOrigins: readonly string[]; readonly hosts: readonly string[] | null },
) {
  const { corsOrigins, hosts } = of;
  const isForUs = hostFilter(hosts);
  const corsAnswer = corsOrigins.length > 0 ? corsAnswers(corsOrigins) : null;
  return new Elysia({ name: "requests" })
    .decorate("wallet", null as string | null)
    .onRequest(({ request, set }) => {
      const cors = corsAnswer?.(request);
      set.headers = { ...ANSWER_HEADERS, "x-request-id": crypto.randomUUID() };
      if (cors) Object.assign(set.headers, cors.headers);
      if (cors?.isPreflight) return new Response(null, { status: 204 });
      watch.begin(set);
      refuseHost(request, set.headers, isForUs);
      return undefined;
    })
    .onAfterHandle({ as: "global" }, ({ request, set, route, params, wallet, responseValue }) => {
      const status = responseValue instanceof Response ? responseValue.status : set.status;
      const context = { request, set, route, params, wallet };
      watch.end(context, { status: Number(status ?? 200), value: responseValue });
    });
}

/**
 * Refuses several `Host` headers (RFC 9112, 3.2), because a proxy may use another one; other hosts;
 * and U+0000 in a URL, which databases do not store. @throws {ServiceError} 400, 421
 */
function refuseHost(
  request: Request,
  headers: Record<string, unknown>,
  isForUs: ReturnType<typeof hostFilter>,
): void {
  if (request.headers.get("host")?.includes(",")) {
    // Client and server may also disagree about the next request on this connection.
    headers.connection = "close";
    throw new ServiceError("ambiguous_host", {
      details: [{ field: "Host", message: "must be sent exactly once" }],
    });
  }
  if (request.url.includes("%00")) {
    const query = [...new URL(request.url).searchParams];
    const found = query.find((parameter) => !isStorable(parameter.join("")));
    throw validationError([{ field: found?.[0] ?? "path", message: "must not hold U+0000" }]);
  }
  if (!isForUs(request)) throw new ServiceError("foreign_host", { advice: FOREIGN });
}

const FOREIGN =
  "This sandbox answers requests for localhost, 127.0.0.1, [::1] and the host of its PUBLIC_URL alone, so that no web page reaches it under a name of its own. To use another name, set PUBLIC_URL.";

/** An answered request, without its body, headers or query. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, for example `/api/v1/tokens/:mintAddress`; null if none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly duration: number;
  readonly wallet: string | null;
  /** The launch that the request reads or creates, if any. */
  readonly eventId: string | null;
  /** The error behind the answer, for logs only; null if there is none. */
  readonly fault: unknown;
}

/** Called for each answered request. Must not throw. */
export type RequestObserver = (request: AnsweredRequest) => void;

const STARTED = Symbol("started");

export interface WatchedContext {
  readonly request: Request;
  readonly set: { readonly headers: Record<string, unknown>; [STARTED]?: number };
  readonly route: string | undefined;
  readonly params: unknown;
  readonly wallet: string | null;
}

/** Calls the observers. `errorsPlugin` ends failed requests, `requestsPlugin` the others. */
export class RequestWatch {
  constructor(private readonly observers: readonly RequestObserver[]) {}

  begin(set: WatchedContext["set"]): void {
    set[STARTED] = performance.now();
  }

  /** Takes the answer's body if the request succeeded, otherwise its fault. */
  end(context: WatchedContext, answer: { status: number; value?: unknown; fault?: unknown }): void {
    const { status, value, fault = null } = answer;
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
    for (const observe of this.observers) observe(answered);
  }
}

function eventIdOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("eventId" in value)) return null;
  return typeof value.eventId === "string" && isUuid(value.eventId) ? value.eventId : null;
}

/**
 * Logs writes at `info`, reads at `debug`, 401, 429 and unavailability at `warn`, and a 500 at
 * `error`; failures with their cause. Never logs a body, header, query or path as it was sent.
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
  // Monitoring polls these every few seconds; the monitors log each change themselves.
  if (route === "/health" || route === "/ready") return "debug";
  if (status === 500) return "error";
  if (status > 500 || status === 401 || status === 429) return "warn";
  return method === "GET" || method === "HEAD" ? "debug" : "info";
}
