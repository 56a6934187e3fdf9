import {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
  TokenctlError,
} from "../errors.ts";
import type { Answer } from "./answer.ts";
import { type HttpAnswer, toApiError } from "./api-error.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { type Repeat, type RetryPolicy, withRetries } from "./retry.ts";

export interface HttpServer {
  /** The address, without a trailing slash. */
  readonly apiUrl: string;
  /** Default: the runtime's `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** The server's name in errors. Default: the address. */
  readonly name?: string;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query, beginning with `/`. */
  readonly path: string;
  /** The request's name in errors. Default: method and path. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly bytes?: ArrayBuffer;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Call<T> extends HttpRequest {
  readonly answer: Answer<T>;
  readonly repeat: Repeat;
  /** Statuses outside 2xx whose body is an answer, not an error. */
  readonly alsoAnswers?: readonly number[];
  /** The wallet that the call is made for, base58. */
  readonly wallet?: string;
}

export function call<T>(server: HttpServer, policy: RetryPolicy, request: Call<T>): Promise<T> {
  const once = async () => answerOf(request, await send(server, request));
  return withRetries(once, request.repeat, { ...policy, signal: request.signal });
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
  throw new InvalidResponseError(message, status, { requestId });
}

export async function send(server: HttpServer, request: HttpRequest): Promise<HttpAnswer> {
  const { apiUrl, fetch = defaultFetch } = server;
  const { signal, timeoutMs, name = nameOf(request) } = request;
  if (signal?.aborted) throw new AbortError(signal.reason);
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const response = await fetch(apiUrl + request.path, toInit(request, deadline.signal));
    return await readAnswer(response, name);
  } catch (cause) {
    const late = noAnswer(name, timeoutMs);
    throw whyNone(cause, { server: server.name ?? apiUrl, deadline, signal, late });
  } finally {
    deadline.end();
  }
}

export function whyNone(
  cause: unknown,
  of: { server: string; deadline: Deadline; signal: AbortSignal | undefined; late: TimeoutError },
): TokenctlError {
  if (cause instanceof TokenctlError) return cause;
  if (of.deadline.isOver()) return of.late;
  return of.signal?.aborted
    ? new AbortError(of.signal.reason)
    : new ConnectionError(of.server, cause);
}

const nameOf = ({ method, path }: Pick<HttpRequest, "method" | "path">) => `${method} ${path}`;

export function noAnswer(name: string, timeoutMs: number): TimeoutError {
  const message = `${name} was not answered within ${timeoutMs / 1000} s`;
  return new TimeoutError(message, { timeoutMs, hint: "Try again, or set a longer timeoutMs" });
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
  const text = new TextDecoder().decode(await readBody(response, name));
  return {
    status: response.status,
    body: parseJson(text),
    requestId: response.headers.get("x-request-id"),
    retryAfter: response.headers.get("retry-after"),
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The longest answer that the client reads. 8 MiB hold a list of 20 000 tokens. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Reads a body up to a limit, unless it is compressed: a few bytes can inflate to gigabytes. */
export async function readBody(
  response: FetchResponse,
  name: string,
  most = MAX_BODY_BYTES,
): Promise<Uint8Array> {
  const { status, headers, body } = response;
  const refuse = (code: string, saw: string, hint: string): InvalidResponseError => {
    // Not awaited, because the server decides how long it takes.
    void body?.cancel().catch(() => {});
    const [message, id] = [`The answer to ${name} ${saw}`, headers.get("x-request-id")];
    return new InvalidResponseError(message, status, { requestId: id, code, hint });
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

async function collect(body: ByteStream, most: number): Promise<Uint8Array | null> {
  const reader = body.getReader();
  // One buffer: if a body arrives byte by byte, an object for each byte needs far more memory.
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
    // An unlocked stream can be cancelled.
    reader.releaseLock();
  }
}

/** The part of the Fetch API that the client needs, such as `globalThis.fetch`. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What the client passes to `fetch`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  /** JSON text, or the bytes of an image. */
  body?: string | ArrayBuffer;
  signal: AbortSignal;
  /** The client follows no redirect, because a bearer token must not reach another host. */
  redirect: "manual";
  /** Makes Bun leave a body compressed; other runtimes ignore it. */
  decompress: false;
}

/** The part of an answer that the client reads. */
export interface FetchResponse {
  status: number;
  /** Called with lowercase names. */
  headers: { get(name: string): string | null };
  /** Null if there is none. */
  body: ByteStream | null;
}

/** The part of a `ReadableStream` that the client needs. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    releaseLock(): void;
  };
  cancel(): Promise<void>;
}

/** Other runtimes than Bun decompress a body but keep the header, which this function hides. */
export const defaultFetch: FetchLike = async (url, init) => {
  const answer = await globalThis.fetch(url, init);
  if ("Bun" in globalThis) return answer;
  const { status, headers, body } = answer;
  return {
    status,
    headers: { get: (name) => (name === "content-encoding" ? null : headers.get(name)) },
    body,
  };
};
