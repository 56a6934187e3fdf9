import type { EventSourceMessage } from "eventsource-parser";
import { type AgentEvent, eventAnswers } from "../agent-event.ts";
import { InvalidResponseError } from "../errors.ts";
import type { EventOptions } from "../options.ts";
import { sleep } from "./deadline.ts";
import { parseJson } from "./http.ts";
import type { MessageStream } from "./open-stream.ts";
import { isTemporary } from "./retry.ts";

/** Pause before the second connection, in milliseconds; it doubles until a stream opens. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

type Cursor = EventOptions["after"];

/** Yields events after a cursor, and reconnects as needed. @throws permanent failures */
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
    // Random, because a stopping server disconnects all clients at once.
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
  throw invalid("has no numeric id");
}

function toEvent(message: EventSourceMessage): AgentEvent {
  const event = parseJson(message.data);
  const problem = eventAnswers.event.check(event);
  if (problem !== null) throw invalid(`has an event whose body${problem}`);
  if ((event as AgentEvent).id !== idOf(message))
    throw invalid("has an id that is not its event's");
  return event as AgentEvent;
}

function invalid(problem: string): InvalidResponseError {
  const message = `A message of the event stream does not follow the contract: it ${problem}`;
  return new InvalidResponseError(message, 200);
}
