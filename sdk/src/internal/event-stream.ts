import { STREAM_HEARTBEAT_MS } from "@tokenctl/shared/limits";
import type { EventSourceMessage } from "eventsource-parser";
import { createParser } from "eventsource-parser";
import { AbortError, InvalidResponseError, TimeoutError } from "../errors.ts";
import { type AgentEvent, narrowedAnswers } from "../narrowed-answers.ts";
import type { EventOptions } from "../options.ts";
import { toApiError } from "./api-error.ts";
import { type Deadline, sleep, startDeadline } from "./deadline.ts";
import {
  type ByteStream,
  defaultFetch,
  isEncoded,
  noAnswer,
  parseJson,
  readAnswer,
  toInit,
  whyNone,
} from "./http.ts";
import { isTemporary } from "./retry.ts";
import type { Settings } from "./settings.ts";

/** Pause before the second connection, in milliseconds; it doubles until a stream opens. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

type Cursor = EventOptions["after"];

export async function* followEvents(
  open: (cursor: Cursor, signal: AbortSignal) => Promise<MessageStream>,
  after: Cursor,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<AgentEvent, void, undefined> {
  let cursor = after;
  let failures = 0;
  let hasOpened = false;
  for (;;) {
    try {
      const stream = await open(cursor, signal);
      hasOpened = true;
      for await (const message of stream) {
        if (message.event === "stream.end") break;
        if (message.event === "stream.open") {
          if (!/^\d{1,15}$/.test(message.id ?? "")) throw invalid("has no numeric id");
          cursor = Number(message.id);
          failures = 0;
          continue;
        }
        const event = toEvent(message);
        if (typeof cursor === "number" && event.id <= cursor) continue;
        cursor = event.id;
        yield event;
      }
    } catch (error) {
      if (!hasOpened || !isTemporary(error, "read")) throw error;
    }
    // Random, because a stopping server disconnects all clients at once.
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    await sleep(pause * (0.5 + Math.random() / 2), signal);
    failures++;
  }
}

function toEvent(message: EventSourceMessage): AgentEvent {
  const event = parseJson(message.data);
  const problem = narrowedAnswers.event.check(event);
  if (problem !== null) throw invalid(`has an event whose body${problem}`);
  return event as AgentEvent;
}

function invalid(problem: string): InvalidResponseError {
  const message = `A message of the event stream does not follow the contract: it ${problem}`;
  return new InvalidResponseError(message, 200);
}

/** Milliseconds of silence after which a connection counts as dead. */
const SILENCE_MS = 2.5 * STREAM_HEARTBEAT_MS;

/** Maximum characters of a message. The server's messages have about 300. */
const MAX_MESSAGE = 64 * 1024;

/** The messages of a stream until the server ends it. Leaving the loop closes the connection. */
export type MessageStream = AsyncGenerator<EventSourceMessage, void, undefined>;

export async function openStream(
  { apiUrl, fetch = defaultFetch, timeoutMs }: Settings,
  request: { path: string; authorization: string; wallet: string; signal: AbortSignal },
): Promise<MessageStream> {
  const { path, authorization, wallet, signal } = request;
  if (signal.aborted) throw new AbortError(signal.reason);
  const deadline = startDeadline(timeoutMs, signal);
  const name = `GET ${path}`;
  try {
    const headers = { accept: "text/event-stream", authorization };
    const init = toInit({ method: "GET", path, headers, timeoutMs }, deadline.signal);
    const response = await fetch(apiUrl + path, init);
    const { status, body } = response;
    if (status !== 200) throw toApiError(await readAnswer(response, name), wallet);
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (!body || type !== "text/event-stream" || isEncoded(response)) {
      const requestId = response.headers.get("x-request-id");
      const message = `The answer to ${name} is not a stream of events`;
      throw new InvalidResponseError(message, status, { requestId });
    }
    deadline.restart();
    return messagesOf(body, { apiUrl, name, signal, deadline });
  } catch (cause) {
    deadline.end();
    deadline.abort();
    throw whyNone(cause, { server: apiUrl, deadline, signal, late: noAnswer(name, timeoutMs) });
  }
}

async function* messagesOf(
  body: ByteStream,
  of: { apiUrl: string; name: string; signal: AbortSignal; deadline: Deadline },
): MessageStream {
  const { apiUrl, name, signal, deadline } = of;
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
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (isTooLarge) {
        const code = "response_too_large";
        throw new InvalidResponseError(`A message of ${name} is too large`, 200, { code });
      }
      deadline.restart(SILENCE_MS);
      const { done, value } = await reader.read();
      // While the caller handles messages, no time limit applies.
      deadline.restart();
      if (signal.aborted) throw new AbortError(signal.reason);
      if (done) return;
      if (value) parser.feed(decoder.decode(value, { stream: true }));
    }
  } catch (cause) {
    const text = `${name} was silent for ${SILENCE_MS / 1000} s`;
    const late = new TimeoutError(text, { timeoutMs: SILENCE_MS });
    throw whyNone(cause, { server: apiUrl, deadline, signal, late });
  } finally {
    deadline.end();
    deadline.abort();
  }
}
