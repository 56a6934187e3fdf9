import type { Level, Logger } from "pino";
import type { AnsweredRequest, RequestObserver } from "./observe.ts";

/**
 * Logs one line per request: writes at `info`, reads at `debug`, refused sign-ins and exceeded
 * limits at `warn`, and failures of the server at `warn` or `error`, with their cause. Never logs a
 * body, a header, a query or a path as it was sent.
 */
export function accessLog(log: Logger): RequestObserver {
  return (request) => {
    const level = levelOf(request);
    if (!log.isLevelEnabled(level)) return;
    const { requestId, method, route, status, duration, wallet, eventId, fault } = request;
    log[level](
      {
        requestId,
        method,
        route,
        status,
        ms: Math.round(duration * 1000) / 1000,
        ...(wallet !== null && { wallet }),
        ...(eventId !== null && { eventId }),
        ...(fault !== null && status >= 500 && { err: fault }),
      },
      "request",
    );
  };
}

function levelOf({ method, route, status }: AnsweredRequest): Level {
  // Monitoring polls this every few seconds; the monitors themselves log each change.
  if (route === "/health") return "debug";
  if (status === 500) return "error";
  if (status > 500 || status === 401 || status === 429) return "warn";
  return method === "GET" || method === "HEAD" ? "debug" : "info";
}
