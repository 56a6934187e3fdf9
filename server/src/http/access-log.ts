import type { Level, Logger } from "pino";
import type { AnsweredRequest, RequestObserver } from "./observe.ts";

/**
 * Logs one line per request: what changes something at `info`, mere reads at `debug`, refused
 * sign-ins and limits at `warn`, and what is the server's to mend at `warn` or `error`, with its
 * cause. Never a body, a header, a query or a path as it was sent.
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
  // Asked every few seconds by whoever watches the service; what is down logs its own change.
  if (route === "/health") return "debug";
  if (status === 500) return "error";
  if (status > 500 || status === 401 || status === 429) return "warn";
  return method === "GET" || method === "HEAD" ? "debug" : "info";
}
