import { errorTexts } from "@tokenctl/shared/errors";
import type { ErrorBody } from "@tokenctl/shared/types";
import { Elysia, NotFoundError } from "elysia";
import { ServiceError, type ServiceErrorCode } from "../base/service-error.ts";
import { MethodTable, type RoutePattern } from "./method-table.ts";
import type { RequestWatch } from "./observe.ts";

const GLOBAL = { as: "global" } as const;

const STATUS: Record<ServiceErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  body_too_late: 408,
  conflict: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  chain_refused: 502,
  unavailable: 503,
};

/**
 * Turns whatever was thrown into the contract's error body. What is not a {@link ServiceError} was
 * not meant for the caller, who gets a plain 500 that names the request.
 *
 * @param watch is told of each fault, with its cause
 * @param routes the app's, asked for once it answers
 */
export function errorsPlugin(
  watch: RequestWatch,
  routes: () => readonly RoutePattern[] = () => [],
) {
  let table: MethodTable | null = null;
  const plugin = new Elysia({ name: "errors" }).decorate("wallet", null as string | null);
  return plugin.onError(GLOBAL, ({ error, set, request, path, route, params, wallet }) => {
    const requestId = String(set.headers["x-request-id"] ?? "");
    let fault = toServiceError(error);
    if (fault.kind === "not_found") {
      table ??= new MethodTable(routes());
      const allowed = table.at(path);
      if (allowed.length > 0 && !allowed.includes(request.method)) {
        set.headers.allow = allowed.join(", ");
        fault = methodNotAllowed(allowed);
      }
    }
    const status = STATUS[fault.kind];
    set.status = status;
    watch.end({ request, set, route, params, wallet }, status, null, fault.cause ?? error);
    if (fault.retryAfterSeconds !== undefined) {
      set.headers["retry-after"] = String(fault.retryAfterSeconds);
    }
    // What is still to come of its body is not worth waiting for. After a 413 it is: senders that
    // find the connection closed before they are done do not read the answer.
    if (fault.kind === "body_too_late") set.headers.connection = "close";
    const advice = fault.kind === "internal" ? `Request id ${requestId}` : fault.advice;
    const body: ErrorBody = {
      error: fault.message,
      ...(fault.wireCode !== undefined && { code: fault.wireCode }),
      ...(fault.details && { details: [...fault.details] }),
      ...(advice !== undefined && { message: advice }),
      ...fault.facts,
    };
    return body;
  });
}

function methodNotAllowed(allowed: readonly string[]): ServiceError {
  return new ServiceError("method_not_allowed", errorTexts.methodNotAllowed, {
    advice: `This endpoint answers ${allowed.join(" and ")}.`,
    code: "method_not_allowed",
  });
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Not `code`: any error can carry one of its own.
  if (error instanceof NotFoundError) {
    return new ServiceError("not_found", errorTexts.notFound, {
      advice: "There is no such endpoint; see /openapi for those there are.",
    });
  }
  return new ServiceError("internal", errorTexts.internal, { cause: error });
}
