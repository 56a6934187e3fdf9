import { errorCodes } from "@tokenctl/shared/error-codes";
import type { ErrorBody } from "@tokenctl/shared/types";
import { Elysia, NotFoundError } from "elysia";
import { ServiceError } from "../base/service-error.ts";
import type { ListedRoute } from "./openapi-document.ts";
import type { RequestWatch } from "./requests.ts";

const GLOBAL = { as: "global" } as const;

/**
 * Turns every error into the contract's body. An error that is not a {@link ServiceError} may hold
 * secrets, so it becomes a plain 500 with the request's id.
 */
export function errorsPlugin(watch: RequestWatch, routes: () => readonly ListedRoute[] = () => []) {
  let methodsAt: ReturnType<typeof methodTable> | null = null;
  const plugin = new Elysia({ name: "errors" }).decorate("wallet", null as string | null);
  return plugin.onError(GLOBAL, ({ error, set, request, path, route, params, wallet }) => {
    const requestId = String(set.headers["x-request-id"] ?? "");
    let fault = serviceErrorOf(error);
    if (errorCodes[fault.wireCode].status === 404) {
      methodsAt ??= methodTable(routes());
      const allowed = methodsAt(path);
      if (allowed.length > 0 && !allowed.includes(request.method)) {
        set.headers.allow = allowed.join(", ");
        const advice = `This endpoint answers ${allowed.join(" and ")}.`;
        fault = new ServiceError("method_not_allowed", { advice });
      }
    }
    const { status } = errorCodes[fault.wireCode];
    set.status = status;
    watch.end({ request, set, route, params, wallet }, { status, fault: fault.cause ?? error });
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

function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Checks Elysia's class instead of `code`, because libraries choose their own codes.
  if (error instanceof NotFoundError) {
    return new ServiceError("not_found", {
      advice:
        "There is no such endpoint; /openapi lists all of them. Only a sandbox (CHAIN=local) has those of /dev.",
    });
  }
  return new ServiceError("internal_error", { cause: error });
}

/** Finds a path's methods. Fixed paths precede those with parameters; a last slash is ignored. */
function methodTable(
  routes: readonly Pick<ListedRoute, "method" | "path">[],
): (path: string) => readonly string[] {
  const table = routes.flatMap(({ method, path }) => {
    const bare = withoutSlash(path);
    const methods = method === "GET" ? ["GET", "HEAD"] : [method];
    // The console is for browsers; for programs it is no endpoint.
    return bare === "" ? [] : [{ isFixed: !bare.includes("/:"), pattern: toRegExp(bare), methods }];
  });
  return (path) => {
    const found = table.filter(({ pattern }) => pattern.test(withoutSlash(path)));
    const fixed = found.filter(({ isFixed }) => isFixed);
    return (fixed.length > 0 ? fixed : found).flatMap(({ methods }) => methods);
  };
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Escapes dots, the only characters in our routes with a meaning in regular expressions. */
function toRegExp(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`);
}
