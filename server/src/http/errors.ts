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
 * Turns every thrown error into the contract's error body. An error that is not a
 * {@link ServiceError} may hold secrets: the caller gets a plain 500 with the request's id.
 *
 * @param watch receives each error, with its cause
 * @param routes returns the app's routes; called at the first 404
 */
export function errorsPlugin(
  watch: RequestWatch,
  routes: () => readonly RoutePattern[] = () => [],
) {
  let table: MethodTable | null = null;
  const plugin = new Elysia({ name: "errors" }).decorate("wallet", null as string | null);
  return plugin.onError(GLOBAL, ({ error, set, request, path, route, params, wallet }) => {
    const requestId = String(set.headers["x-request-id"] ?? "");
    let fault = serviceErrorOf(error);
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
    // The rest of a late body is not worth waiting for. After a 413 the connection stays open: a
    // client whose connection closes while it still sends does not read the answer.
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

function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Elysia's own class and not `code`: any error can have a `code`, and libraries choose theirs.
  if (error instanceof NotFoundError) {
    return new ServiceError("not_found", errorTexts.notFound, {
      advice: "There is no such endpoint; /openapi lists all of them.",
    });
  }
  return new ServiceError("internal", errorTexts.internal, { cause: error });
}
