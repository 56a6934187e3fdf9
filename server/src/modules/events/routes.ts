import { AgentEventListSchema, AgentEventStreamSchema } from "@tokenctl/shared/contract/event";
import { limits } from "@tokenctl/shared/limits";
import { tokenExpiry } from "../../http/admit.ts";
import type { BearerTokens } from "../../http/bearer-tokens.ts";
import { endpoint } from "../../http/endpoint.ts";
import { eventStream, eventStreamHead, type StreamSource } from "../../http/event-stream.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { AFTER, LAST_EVENT_ID, whole } from "../../http/parameters.ts";
import type { EventService, EventStream, StreamPiece } from "./service.ts";

const tag = "Events";
const WAITING_ERRORS = ["events_gone", "too_many_streams", "share_used", "streams_full"] as const;

const { events: perAnswer, eventWait } = limits;

export function eventEndpoints(
  events: EventService,
  bearerTokens: BearerTokens,
  server: CurrentServer,
) {
  return [
    endpoint({
      route: "GET /api/v1/events/",
      id: "listEvents",
      summary: "List the agent's events",
      description:
        "Returns the events after a cursor, oldest first; with `wait` it waits for one if there is none. `nextAfter` is the `after` of the next request. Delivery is at least once, and in order.",
      tag,
      query: {
        after: AFTER,
        wait: whole(
          "wait",
          { ...eventWait, absent: 0 },
          "Seconds to wait for an event if there is none",
        ),
        limit: whole(
          "limit",
          { ...perAnswer, absent: perAnswer.byDefault },
          `Events of the answer at most; ${perAnswer.byDefault} by default`,
        ),
      },
      takesAddress: true,
      isLong: ({ wait }) => wait > 0,
      answer: AgentEventListSchema,
      errors: WAITING_ERRORS,
      handle: ({ request: { signal }, wallet, address, query: { after, limit, wait } }) =>
        events.list({ wallet, address }, after ?? "oldest", { limit, waitMs: wait * 1000, signal }),
    }),
    endpoint({
      route: "GET /api/v1/events/stream",
      id: "streamEvents",
      summary: "Receive the agent's events as they happen",
      description:
        "Sends the events after a cursor as Server-Sent Events, and goes on until the token expires.",
      tag,
      query: { after: AFTER },
      headers: { "Last-Event-ID": LAST_EVENT_ID },
      takesAddress: true,
      answer: AgentEventStreamSchema,
      answerType: "text/event-stream",
      errors: WAITING_ERRORS,
      async handle({ request, wallet, address, query, headers }) {
        if (request.method === "HEAD") return eventStreamHead();
        const expiry = await tokenExpiry(bearerTokens, request);
        // The header is newer: a browser that reconnects sends the same address again.
        const start = headers["Last-Event-ID"] ?? query.after ?? "oldest";
        const stream = await events.stream({ wallet, address }, start, expiry);
        return eventStream({ server: server(), request }, sourceOf(stream));
      },
    }),
  ];
}

function sourceOf(stream: EventStream): StreamSource {
  return {
    next: async () => {
      const piece = await stream.next();
      return piece && toText(piece);
    },
    close: () => stream.close(),
  };
}

function toText(piece: StreamPiece): string {
  switch (piece.kind) {
    case "open":
      return `id: ${piece.cursor}\nevent: stream.open\ndata: ${JSON.stringify({ after: piece.cursor })}\n\n`;
    case "events":
      return piece.events
        .map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join("");
    case "heartbeat":
      return ":\n\n";
    case "end":
      return `event: stream.end\ndata: ${JSON.stringify({ reason: piece.reason })}\n\n`;
  }
}
