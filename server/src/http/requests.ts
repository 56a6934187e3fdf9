import { isStorable } from "@tokenctl/shared/contract/request-text";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { once } from "@tokenctl/shared/field-problems";
import type { ErrorBody } from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import { Elysia, NotFoundError } from "elysia";
import type { Level, Logger } from "pino";
import { hostFilter } from "../base/loopback.ts";
import { ServiceError } from "../base/service-error.ts";
import { validationError } from "./body.ts";
import { ANSWER_HEADERS } from "./headers.ts";
import { corsAnswers } from "./listen.ts";

const GLOBAL = { as: "global" } as const;
const STARTED = Symbol("started");

interface Route {
  readonly method: string;
  readonly path: string;
}

interface Context {
  readonly request: Request;
  readonly set: { readonly headers: Record<string, unknown>; [STARTED]?: number };
  readonly route: string | undefined;
  readonly params: unknown;
  readonly wallet: string | null;
}

/**
 * Begins and ends each request, and turns every error into the contract's body. An error that is
 * not a {@link ServiceError} may hold secrets, so it becomes a plain 500 with the request's id.
 * Elysia's CORS plugin would answer every unknown path with 405. Each hook destructures its
 * parameter, otherwise Elysia reads the body first, and has braces, because Elysia awaits an arrow
 * function that only calls another.
 */
export function requestsPlugin(
  observers: readonly RequestObserver[],
  of: { readonly corsOrigins: readonly string[]; readonly hosts: readonly string[] | null },
  routes: () => readonly Route[],
) {
  const isForUs = hostFilter(of.hosts);
  const corsAnswer = corsAnswers(of.corsOrigins);
  const methods = once(() => methodTable(routes()));
  function end({ request, set, route, params, wallet }: Context, answer: Ended): void {
    const { status, value, fault = null } = answer;
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
    for (const observe of observers) observe(answered);
  }
  return new Elysia({ name: "requests" })
    .decorate("wallet", null as string | null)
    .onRequest(({ request, set }) => {
      const cors = corsAnswer(request);
      set.headers = { ...ANSWER_HEADERS, "x-request-id": crypto.randomUUID(), ...cors.headers };
      if (cors.isPreflight) return new Response(null, { status: 204 });
      (set as Context["set"])[STARTED] = performance.now();
      refuseHost(request, set.headers, isForUs);
      return undefined;
    })
    .onAfterHandle(GLOBAL, ({ request, set, route, params, wallet, responseValue: value }) => {
      const status = value instanceof Response ? value.status : set.status;
      end({ request, set, route, params, wallet }, { status: Number(status ?? 200), value });
    })
    .onError(GLOBAL, ({ error, set, request, path, route, params, wallet }) => {
      const requestId = String(set.headers["x-request-id"] ?? "");
      let fault = serviceErrorOf(error);
      const allowed = errorCodes[fault.wireCode].status === 404 ? methods()(path) : [];
      if (allowed.length > 0 && !allowed.includes(request.method)) {
        set.headers.allow = allowed.join(", ");
        const advice = `This endpoint answers ${allowed.join(" and ")}.`;
        fault = new ServiceError("method_not_allowed", { advice });
      }
      const { status } = errorCodes[fault.wireCode];
      set.status = status;
      end({ request, set, route, params, wallet }, { status, fault: fault.cause ?? error });
      if (fault.retryAfterSeconds !== undefined) {
        set.headers["retry-after"] = String(fault.retryAfterSeconds);
      }
      // The rest of a late body is not worth waiting for. After a 413 the connection stays open: a
      // client whose connection closes while it sends does not read the answer.
      if (fault.wireCode === "body_too_late") set.headers.connection = "close";
      const advice = status === 500 ? `Request id ${requestId}` : fault.advice;
      const body: ErrorBody = {
        error: fault.message,
        code: fault.wireCode,
        ...(fault.details && { details: [...fault.details] }),
        ...(advice !== undefined && { message: advice }),
        ...fault.facts,
      };
      return body;
    });
}

interface Ended {
  readonly status: number;
  readonly value?: unknown;
  readonly fault?: unknown;
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
  "This sandbox answers only requests for localhost, 127.0.0.1, [::1] and the host of its PUBLIC_URL, so that no web page reaches it under a name of its own. To use another name, set PUBLIC_URL.";

function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Checks Elysia's class instead of `code`, because libraries choose their own codes.
  if (error instanceof NotFoundError) {
    return new ServiceError("not_found", {
      advice:
        "There is no such endpoint; /openapi/json lists all of them. Only a sandbox has those of /dev.",
    });
  }
  return new ServiceError("internal_error", { cause: error });
}

const LONGEST_PATH = 256;

/** Finds a path's methods. Fixed paths precede those with parameters; a last slash is ignored. */
function methodTable(routes: readonly Route[]): (path: string) => readonly string[] {
  const table = routes.flatMap(({ method, path }) => {
    const bare = path.replace(/\/$/, "");
    const methods = method === "GET" ? ["GET", "HEAD"] : [method];
    const pattern = new URLPattern({ pathname: `${bare}{/}?` });
    // The console is for browsers; for programs it is not an endpoint.
    return bare === "" ? [] : [{ isFixed: !bare.includes("/:"), pattern, methods }];
  });
  return (pathname) => {
    // Searching takes 5 ms for 15 KB, and anyone may send that. Our own paths are shorter.
    if (pathname.length > LONGEST_PATH) return [];
    const found = table.filter(({ pattern }) => pattern.test({ pathname }));
    const fixed = found.filter(({ isFixed }) => isFixed);
    return (fixed.length > 0 ? fixed : found).flatMap(({ methods }) => methods);
  };
}

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, for example `/api/v1/tokens/:mintAddress`; null if none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly duration: number;
  readonly wallet: string | null;
  readonly eventId: string | null;
  /** The error behind the answer, for logs only; null if there is none. */
  readonly fault: unknown;
}

export type RequestObserver = (request: AnsweredRequest) => void;

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
