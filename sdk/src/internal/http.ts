import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { ApiError } from "../api-errors.ts";
import {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
  TokenctlError,
} from "../errors.ts";
import type { Answer } from "./answer.ts";
import { type HttpAnswer, toApiError } from "./api-error.ts";
import { defaultFetch } from "./default-fetch.ts";
import type { ByteStream, FetchInit, FetchLike, FetchResponse } from "./fetch.ts";

// Over 300 lines: all that happens to one request, from its bytes to the decision to send it again.

/** Where requests go. */
export interface HttpServer {
  /** Its address, without a trailing slash. */
  readonly apiUrl: string;
  /** Default: the runtime's own. */
  readonly fetch?: FetchLike | undefined;
  /** Its name in errors. Default: the address. */
  readonly name?: string;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query, beginning with `/`. */
  readonly path: string;
  /** Its name in errors. Default: method and path. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A call of an endpoint: the request, and the answer that the contract promises. */
export interface Call<T> extends HttpRequest {
  readonly answer: Answer<T>;
  readonly repeat: Repeat;
  /** Statuses beyond 2xx whose body is an answer and not an error. */
  readonly alsoAnswers?: readonly number[];
  /** The wallet that the call is made for, base58. */
  readonly wallet?: string;
}

/** Makes a call, and again if that is safe and may help. @throws {ApiError} and as {@link send} */
export function call<T>(server: HttpServer, policy: RetryPolicy, request: Call<T>): Promise<T> {
  const once = async () => answerOf(request, await send(server, request));
  return withRetries(once, request.repeat, policy, request.signal);
}

function answerOf<T>({ answer, alsoAnswers, ...request }: Call<T>, got: HttpAnswer): T {
  const { status, body, requestId } = got;
  const isAnswer =
    (status >= 200 && status < 300) ||
    (alsoAnswers?.includes(status) === true && answer.check(body) === null);
  if (!isAnswer) throw toApiError(got, request.wallet);
  const problem = body === undefined ? " is not JSON" : answer.check(body);
  if (problem === null) return body as T;
  const message = `The answer to ${nameOf(request)} does not follow the contract: body${problem}`;
  throw new InvalidResponseError(message, status, requestId);
}

/**
 * @throws {AbortError}, {@link TimeoutError} or {@link ConnectionError} if there is no answer
 * @throws {InvalidResponseError} if its body is too large, or compressed
 */
export async function send(server: HttpServer, request: HttpRequest): Promise<HttpAnswer> {
  const { apiUrl, fetch = defaultFetch } = server;
  const { signal, timeoutMs, name = nameOf(request) } = request;
  if (signal?.aborted) throw new AbortError(signal.reason);
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const response = await fetch(apiUrl + request.path, toInit(request, deadline.signal));
    return await readAnswer(response, name);
  } catch (cause) {
    if (cause instanceof InvalidResponseError) throw cause;
    if (deadline.isOver()) throw noAnswer(name, timeoutMs);
    if (signal?.aborted) throw new AbortError(signal.reason);
    throw new ConnectionError(server.name ?? apiUrl, cause);
  } finally {
    deadline.end();
  }
}

const nameOf = ({ method, path }: Pick<HttpRequest, "method" | "path">) => `${method} ${path}`;

export function noAnswer(name: string, timeoutMs: number): TimeoutError {
  return new TimeoutError(`${name} was not answered within ${timeoutMs / 1000} s`, timeoutMs, {
    hint: "Try again, or set a longer timeoutMs",
  });
}

export function toInit(request: HttpRequest, signal: AbortSignal): FetchInit {
  const { method, body, bytes } = request;
  const isJson = body !== undefined;
  const type = isJson ? "application/json" : bytes && "application/octet-stream";
  const sent = isJson ? JSON.stringify(body) : bytes;
  return {
    method,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      ...(type && { "content-type": type }),
      ...request.headers,
    },
    ...(sent !== undefined && { body: sent }),
    signal,
    redirect: "manual",
    decompress: false,
  };
}

export async function readAnswer(response: FetchResponse, name: string): Promise<HttpAnswer> {
  const text = await readBody(response, name);
  return {
    status: response.status,
    body: parseJson(text),
    requestId: response.headers.get("x-request-id"),
    retryAfter: response.headers.get("retry-after"),
  };
}

/** @returns undefined if it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The longest answer that the client reads: 8 MiB hold a list of 20 000 tokens. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads a body up to a size. Not a compressed one: few bytes can inflate to gigabytes.
 * @throws {InvalidResponseError} `response_too_large` or `response_encoded`
 */
export async function readBody(response: FetchResponse, name: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, name, MAX_BODY_BYTES));
}

/** As `readBody`. @param most bytes */
export async function readBytes(
  response: FetchResponse,
  name: string,
  most: number,
): Promise<Uint8Array> {
  const { status, headers, body } = response;
  const refuse = (code: string, saw: string, hint: string): InvalidResponseError => {
    // Not awaited: the other side decides how long it takes.
    void body?.cancel().catch(() => {});
    const [message, id] = [`The answer to ${name} ${saw}`, headers.get("x-request-id")];
    return new InvalidResponseError(message, status, id, { code, hint });
  };
  const tooLarge = () =>
    refuse(
      "response_too_large",
      `is larger than ${most / 1024 / 1024} MiB and was not read to its end`,
      "Read a list in pages, with limit; any other answer of this size comes from a broken or hostile server",
    );
  if (isEncoded(response)) {
    throw refuse(
      "response_encoded",
      "is compressed although the client asked for it uncompressed, and was not read",
      "Make the server, or the proxy in front of it, respect `Accept-Encoding: identity`",
    );
  }
  if (Number(headers.get("content-length") ?? 0) > most) throw tooLarge();
  if (!body) return new Uint8Array();
  const bytes = await collect(body, most);
  if (bytes === null) throw tooLarge();
  return bytes;
}

export function isEncoded({ headers }: FetchResponse): boolean {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return encoding !== "" && encoding !== "identity";
}

/** @returns the bytes, or null as soon as there are too many */
async function collect(body: ByteStream, most: number): Promise<Uint8Array | null> {
  const reader = body.getReader();
  // One buffer, because an object for each byte of a body that comes byte by byte would be much larger.
  let buffer = new Uint8Array(16 * 1024);
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return buffer.subarray(0, length);
      if (!value) continue;
      if (length + value.length > most) return null;
      if (length + value.length > buffer.length) {
        const longer = new Uint8Array(Math.max(2 * buffer.length, length + value.length));
        longer.set(buffer.subarray(0, length));
        buffer = longer;
      }
      buffer.set(value, length);
      length += value.length;
    }
  } finally {
    // Unlocks the stream, so that it can be cancelled.
    reader.releaseLock();
  }
}

/**
 * When a failed request may be sent again.
 *
 * - `read`: after any temporary failure, 500 included.
 * - `repeatable`: if the answer was lost or the server was away, but not after a 500.
 * - `refused`: only if the server said that it did nothing (429, 503).
 * - `never`: it is sent once.
 *
 * A 502 of the service itself is final: the chain refused it. A gateway's is a temporary failure.
 */
export type Repeat = "read" | "repeatable" | "refused" | "never";

/** What `onRetry` gets before a retry. */
export interface RetryNotice {
  /** Why the request is repeated. */
  error: TokenctlError;
  /** 1 for the first retry. */
  retry: number;
  /** Milliseconds until the retry. */
  delayMs: number;
}

export interface RetryPolicy {
  maxRetries: number;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** If a server asks for a longer wait than this, the caller decides. */
const MAX_RETRY_AFTER_MS = 60_000;

/** @throws what the last attempt threw, or {@link AbortError} if the signal fires in between */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeat: Repeat,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TokenctlError) || retry > policy.maxRetries) throw error;
      const delayMs = isTemporary(error, repeat) ? retryDelay(error, retry) : null;
      if (delayMs === null) throw error;
      policy.onRetry?.({ error, retry, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

/** @returns whether the same request may be sent again after this failure */
export function isTemporary(error: unknown, repeat: Repeat): boolean {
  if (repeat === "never") return false;
  if (error instanceof ApiError) {
    if (isErrorCode(error.code) && ["no", "later"].includes(errorCodes[error.code].repeat))
      return false;
    if (error.status === 429) return true;
    if (repeat === "refused") return error.status === 503 && !error.isFromGateway;
    if (error.status === 500) return repeat === "read";
    return (error.isFromGateway && error.status >= 502) || [408, 503, 504].includes(error.status);
  }
  const unanswered = error instanceof ConnectionError || error instanceof TimeoutError;
  return unanswered && repeat !== "refused";
}

/** Back-off with jitter, never before `Retry-After`; null if that is more than a minute. */
export function retryDelay(error: Error, retry: number, random = Math.random): number | null {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retry - 1));
  const jittered = random() * ceiling;
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (asked === null) return jittered;
  const askedMs = asked * 1000;
  // With jitter, so that clients that were refused together do not return together.
  return askedMs > MAX_RETRY_AFTER_MS ? null : askedMs + random() * BASE_DELAY_MS;
}

/** A signal that fires when the caller's signal does, or when time runs out. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time ran out before the caller's signal fired. */
  isOver(): boolean;
  /** Replaces the time that is left; without a time there is no limit until the next restart. */
  restart(timeoutMs?: number): void;
  /** Call it when the bounded work has ended, whether it succeeded or failed. */
  end(): void;
  /** Ends what is still in progress. */
  abort(): void;
}

/**
 * Starts a deadline; without a time it only follows the signal, from which `end` removes its
 * listener: `AbortSignal.any` does not do that on Node 20.
 */
export function startDeadline(timeoutMs: number | undefined, signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const onAbort = () => controller.abort(signal?.reason);
  const onTime = () => {
    isOver = !controller.signal.aborted;
    controller.abort();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restart = (limitMs?: number) => {
    clearTimeout(timer);
    timer = limitMs === undefined ? undefined : setTimeout(onTime, limitMs);
  };
  restart(timeoutMs);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    restart,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
    abort: () => controller.abort(),
  };
}

/** @throws {AbortError} as soon as the signal fires */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new AbortError(signal.reason));
    const onAbort = () => {
      clearTimeout(timer);
      reject(new AbortError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
