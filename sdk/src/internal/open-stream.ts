import { STREAM_HEARTBEAT_MS } from "@tokenctl/shared/limits";
import type { EventSourceMessage } from "eventsource-parser";
import { createParser } from "eventsource-parser";
import {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
  TokenctlError,
} from "../errors.ts";
import { toApiError } from "./api-error.ts";
import { defaultFetch } from "./default-fetch.ts";
import type { ByteStream, FetchResponse } from "./fetch.ts";
import { isEncoded, noAnswer, readAnswer, toInit } from "./http.ts";
import type { Settings } from "./settings.ts";

/** A connection that brings nothing for so long is dead, in milliseconds. */
const SILENCE_MS = 2.5 * STREAM_HEARTBEAT_MS;

/** Characters that one message may have. The server's have some 300. */
const MAX_MESSAGE = 64 * 1024;

/** The messages of an answer that goes on, until the server ends it. Leaving the loop closes the connection. */
export type MessageStream = AsyncGenerator<EventSourceMessage, void, undefined>;

interface StreamRequest {
  readonly path: string;
  readonly authorization: string;
  /** The wallet in whose name it is, base58. */
  readonly wallet: string;
  readonly signal: AbortSignal;
}

/**
 * Opens a stream of Server-Sent Events.
 *
 * @throws {ApiError} if the server refuses
 * @throws {InvalidResponseError} if the answer is no such stream
 * @throws {TimeoutError}, {@link ConnectionError} or {@link AbortError} if it does not begin
 */
export async function openStream(
  { apiUrl, fetch = defaultFetch, timeoutMs }: Pick<Settings, "apiUrl" | "fetch" | "timeoutMs">,
  { path, authorization, wallet, signal }: StreamRequest,
): Promise<MessageStream> {
  if (signal.aborted) throw new AbortError(signal.reason);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal.addEventListener("abort", leave, { once: true });
  const close = () => {
    signal.removeEventListener("abort", leave);
    leave();
  };
  const name = `GET ${path}`;
  let isLate = false;
  const onTime = () => {
    isLate = true;
    leave();
  };
  const timer = setTimeout(onTime, timeoutMs);
  try {
    const headers = { accept: "text/event-stream", authorization };
    const request = { method: "GET", path, headers, timeoutMs } as const;
    const response = await fetch(apiUrl + path, toInit(request, leaving.signal));
    if (response.status !== 200) throw toApiError(await readAnswer(response, name), wallet);
    const { body } = response;
    if (!body || !isEventStream(response)) throw notAStream(response, name);
    return messagesOf(body, { apiUrl, name, signal, close });
  } catch (cause) {
    close();
    if (cause instanceof TokenctlError) throw cause;
    if (isLate) throw noAnswer(name, timeoutMs);
    if (signal.aborted) throw new AbortError(signal.reason);
    throw new ConnectionError(apiUrl, cause);
  } finally {
    clearTimeout(timer);
  }
}

function isEventStream(response: FetchResponse): boolean {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return type === "text/event-stream" && !isEncoded(response);
}

function notAStream({ status, headers }: FetchResponse, name: string): InvalidResponseError {
  return new InvalidResponseError(
    `The answer to ${name} is no stream of events`,
    status,
    headers.get("x-request-id"),
  );
}

interface Connection {
  readonly apiUrl: string;
  readonly name: string;
  readonly signal: AbortSignal;
  readonly close: () => void;
}

/**
 * @throws {ConnectionError} if the connection breaks
 * @throws {TimeoutError} if it brings nothing, not even a heartbeat
 * @throws {AbortError} if the signal fires
 */
async function* messagesOf(
  body: ByteStream,
  { apiUrl, name, signal, close }: Connection,
): MessageStream {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const waiting: EventSourceMessage[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: MAX_MESSAGE,
    onEvent: (message) => void waiting.push(message),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") isTooLarge = true;
    },
  });
  let isSilent = false;
  const onSilence = () => {
    isSilent = true;
    close();
  };
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (isTooLarge) {
        const code = "response_too_large";
        throw new InvalidResponseError(`A message of ${name} is too large`, 200, null, { code });
      }
      const timer = setTimeout(onSilence, SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (signal.aborted) throw new AbortError(signal.reason);
      if (done) return;
      if (value) parser.feed(decoder.decode(value, { stream: true }));
    }
  } catch (cause) {
    if (cause instanceof TokenctlError) throw cause;
    if (signal.aborted) throw new AbortError(signal.reason);
    if (isSilent) {
      throw new TimeoutError(`${name} brought nothing for ${SILENCE_MS / 1000} s`, SILENCE_MS);
    }
    throw new ConnectionError(apiUrl, cause);
  } finally {
    close();
  }
}
