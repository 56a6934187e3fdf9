import { expect } from "bun:test";
import { AgentEventSchema } from "@tokenctl/shared/contract/event";
import type { AgentEvent } from "@tokenctl/shared/types";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { type Agent, expectShape } from "./agent.ts";

export interface TestStream extends AsyncDisposable {
  /** @returns the next message; null at the end */
  next(): Promise<EventSourceMessage | null>;
  nextEvent(): Promise<AgentEvent>;
}

export async function openStream(
  agent: Agent,
  { after, lastEventId }: { after?: string; lastEventId?: string } = {},
): Promise<TestStream> {
  const query = after === undefined ? "" : `?after=${after}`;
  const leaving = new AbortController();
  const answer = await fetch(`${agent.server.url}/api/v1/events/stream${query}`, {
    headers: {
      authorization: `Bearer ${agent.token}`,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const messages = answer.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async () => (await messages?.read())?.value ?? null;
  return {
    next,
    async nextEvent() {
      for (;;) {
        const message = await next();
        if (message === null) throw new Error("the stream has ended");
        if (!message.event?.startsWith("stream.")) {
          const event = expectShape(AgentEventSchema, JSON.parse(message.data));
          expect({ id: message.id, event: message.event }).toEqual({
            id: String(event.id),
            event: event.type,
          });
          return event;
        }
      }
    },
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await messages?.cancel().catch(() => {});
    },
  };
}
