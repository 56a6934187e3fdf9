import { AbortError, ConnectionError, InvalidResponseError, TimeoutError } from "../errors.ts";
import { startDeadline } from "./deadline.ts";
import { defaultFetch } from "./default-fetch.ts";
import type { FetchInit, FetchLike, FetchResponse } from "./fetch.ts";
import { readBody } from "./read-body.ts";

/** One HTTP request. */
export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query, beginning with `/`. */
  path: string;
  /** Its name in errors. Default: method and path. */
  name?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as they are, instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** One HTTP answer, read to its end. */
export interface HttpAnswer {
  status: number;
  /** The parsed JSON body; undefined if the body is not JSON. */
  body: unknown;
  requestId: string | null;
  retryAfter: string | null;
}

/** Sends one request once. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * Makes the transport of a client.
 *
 * @param apiUrl the server's address without a slash at its end
 * @param fetch what sends the requests
 * @param server the server's name in errors
 */
export function createTransport(
  apiUrl: string,
  fetch: FetchLike = defaultFetch,
  server = apiUrl,
): Transport {
  return async (request) => {
    const name = request.name ?? `${request.method} ${request.path}`;
    if (request.signal?.aborted) throw new AbortError(request.signal.reason);
    const deadline = startDeadline(request.timeoutMs, request.signal);
    try {
      const response = await fetch(apiUrl + request.path, toInit(request, deadline.signal));
      return await readAnswer(response, name);
    } catch (cause) {
      if (cause instanceof InvalidResponseError) throw cause;
      if (deadline.isOver()) {
        throw new TimeoutError(
          `${name} had no answer within ${request.timeoutMs / 1000} s`,
          request.timeoutMs,
          { hint: "Try again, or give the client a longer timeoutMs" },
        );
      }
      if (request.signal?.aborted) throw new AbortError(request.signal.reason);
      throw new ConnectionError(server, cause);
    } finally {
      deadline.end();
    }
  };
}

export function toInit(request: HttpRequest, signal: AbortSignal): FetchInit {
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-encoding": "identity",
    ...request.headers,
  };
  const init: FetchInit = {
    method: request.method,
    headers,
    signal,
    redirect: "manual",
    decompress: false,
  };
  if (request.body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(request.body);
  }
  if (request.bytes !== undefined) {
    headers["content-type"] = "application/octet-stream";
    init.body = request.bytes;
  }
  return init;
}

export async function readAnswer(response: FetchResponse, what: string): Promise<HttpAnswer> {
  const text = await readBody(response, what);
  return {
    status: response.status,
    body: parseJson(text),
    requestId: response.headers.get("x-request-id"),
    retryAfter: response.headers.get("retry-after"),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
