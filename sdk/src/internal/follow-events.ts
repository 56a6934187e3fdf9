import type { AgentEvent } from "@tokenctl/shared/types";
import type { EventSourceMessage } from "eventsource-parser";
import { InvalidResponseError } from "../errors.ts";
import type { EventOptions } from "../options.ts";
import { answers } from "./answers.ts";
import type { OpenStream } from "./open-stream.ts";
import { isTemporary } from "./retry.ts";
import { sleep } from "./sleep.ts";

/** Pause before the second connection, in milliseconds; it doubles until a connection holds. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

export type Cursor = EventOptions["after"];

/** What else a caller wants to know. */
export interface FollowHooks {
  readonly signal?: AbortSignal | undefined;
  /** Called when a stream has begun: what happens from now on arrives. */
  readonly onOpen?: () => void;
  /** Called when a stream has ended; another is opened. */
  readonly onLost?: () => void;
}

/**
 * Yields events after a cursor, over as many connections as it takes.
 *
 * @param open opens a stream after a cursor
 * @throws what the first connection throws, and later whatever is not temporary
 */
export async function* followEvents(
  open: (cursor: Cursor, signal: AbortSignal) => Promise<OpenStream>,
  after: Cursor,
  { signal = new AbortController().signal, onOpen, onLost }: FollowHooks,
): AsyncGenerator<AgentEvent, void, undefined> {
  let cursor = after;
  let failures = 0;
  let hasOpened = false;
  for (;;) {
    let isAwaited = false;
    try {
      const stream = await open(cursor, signal);
      hasOpened = true;
      try {
        for (;;) {
          const message = await stream.next();
          if (message === null) break;
          if (message.event === "stream.end") {
            isAwaited = endReason(message) === "token_expired";
            break;
          }
          if (message.event === "stream.open") {
            cursor = idOf(message);
            failures = 0;
            onOpen?.();
            continue;
          }
          const event = toEvent(message);
          if (typeof cursor === "number" && event.id <= cursor) continue;
          cursor = event.id;
          yield event;
        }
      } finally {
        stream.close();
      }
    } catch (error) {
      if (!hasOpened || !isTemporary(error, "read")) throw error;
    }
    onLost?.();
    // A server that stops lets all its clients go at once: by chance they do not return together.
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    if (!isAwaited) await sleep(pause * (0.5 + Math.random() / 2), signal);
    failures++;
  }
}

function endReason({ data }: EventSourceMessage): unknown {
  return (parse(data) as { reason?: unknown } | null)?.reason;
}

function idOf(message: EventSourceMessage): number {
  if (/^\d{1,15}$/.test(message.id ?? "")) return Number(message.id);
  throw invalid("has no number as id");
}

function toEvent(message: EventSourceMessage): AgentEvent {
  const event = parse(message.data);
  const problem = answers.AgentEvent.check(event);
  if (problem !== null) throw invalid(`has an event whose body${problem}`);
  if ((event as AgentEvent).id !== idOf(message)) throw invalid("has another id than its event");
  return event as AgentEvent;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(problem: string): InvalidResponseError {
  return new InvalidResponseError(
    `A message of the stream of events is not of the contract: it ${problem}`,
    200,
    null,
  );
}
