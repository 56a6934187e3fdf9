import type { AgentEvent } from "@tokenctl/shared/types";
import type { EventSourceMessage } from "eventsource-parser";
import { InvalidResponseError } from "../errors.ts";
import type { EventOptions } from "../options.ts";
import { answers } from "./answers.ts";
import { isTemporary, parseJson, sleep } from "./http.ts";
import type { MessageStream } from "./open-stream.ts";

/** Pause before the second connection, in milliseconds; it doubles until a connection holds. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

type Cursor = EventOptions["after"];

/**
 * Yields events after a cursor, over as many connections as it takes.
 *
 * @param open opens a stream after a cursor
 * @throws what the first connection throws, and later whatever is not temporary
 */
export async function* followEvents(
  open: (cursor: Cursor, signal: AbortSignal) => Promise<MessageStream>,
  after: Cursor,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<AgentEvent, void, undefined> {
  let cursor = after;
  let failures = 0;
  let hasOpened = false;
  for (;;) {
    let isAwaited = false;
    try {
      const stream = await open(cursor, signal);
      hasOpened = true;
      for await (const message of stream) {
        if (message.event === "stream.end") {
          isAwaited = endReason(message) === "token_expired";
          break;
        }
        if (message.event === "stream.open") {
          cursor = idOf(message);
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
    // A server that stops lets all its clients go at once: by chance they do not return together.
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    if (!isAwaited) await sleep(pause * (0.5 + Math.random() / 2), signal);
    failures++;
  }
}

function endReason({ data }: EventSourceMessage): unknown {
  return (parseJson(data) as { reason?: unknown } | null)?.reason;
}

function idOf(message: EventSourceMessage): number {
  if (/^\d{1,15}$/.test(message.id ?? "")) return Number(message.id);
  throw invalid("has no number as id");
}

function toEvent(message: EventSourceMessage): AgentEvent {
  const event = parseJson(message.data);
  const problem = answers.AgentEvent.check(event);
  if (problem !== null) throw invalid(`has an event whose body${problem}`);
  if ((event as AgentEvent).id !== idOf(message)) throw invalid("has another id than its event");
  return event as AgentEvent;
}

function invalid(problem: string): InvalidResponseError {
  return new InvalidResponseError(
    `A message of the stream of events is not of the contract: it ${problem}`,
    200,
    null,
  );
}
