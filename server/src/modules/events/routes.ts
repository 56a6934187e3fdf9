import { limits } from "@tokenctl/shared/limits";
import { AgentEventListSchema, AgentEventStreamSchema } from "@tokenctl/shared/response-schemas";
import { Elysia } from "elysia";
import { type bearerPlugin, type TokenExpiries, tokenExpiry } from "../../http/bearer.ts";
import { eventStream, eventStreamHead } from "../../http/event-stream.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { longAnswer } from "../../http/long-answer.ts";
import { operation } from "../../http/openapi.ts";
import { validationError } from "../../http/validation.ts";
import type { EventService, EventStream, Start, StreamPiece } from "./service.ts";

const WAITING_ERRORS = ["events_gone", "too_many_streams", "streams_full"] as const;

/** @param sessions knows when a token expires, and its stream with it */
export function eventRoutes(
  events: EventService,
  bearer: ReturnType<typeof bearerPlugin>,
  sessions: TokenExpiries,
  server: CurrentServer,
) {
  return new Elysia({ prefix: "/api/v1/events" })
    .use(bearer)
    .get(
      "/",
      ({ request, wallet, query }) => {
        const start = parseStart("after", query.after) ?? "oldest";
        const limit = parseWhole("limit", query.limit, limits.events, limits.events.byDefault);
        const wait = parseWhole("wait", query.wait, limits.eventWait, 0);
        const list = () => events.list(wallet, start, limit, wait * 1000, request.signal);
        return wait === 0 ? list() : longAnswer(server(), request, list);
      },
      operation({
        summary: "List the agent's events, oldest first; wait for one if there is none",
        tag: "Events",
        query: ["after", "wait", "limit"],
        answer: AgentEventListSchema,
        errors: WAITING_ERRORS,
      }),
    )
    .get(
      "/stream",
      async ({ request, wallet, query }) => {
        // The header is newer: a browser that connects again sends the same address.
        const last = request.headers.get("last-event-id") ?? undefined;
        const start = parseStart("Last-Event-ID", last) ?? parseStart("after", query.after);
        if (request.method === "HEAD") return eventStreamHead();
        const expiry = await tokenExpiry(sessions, request);
        const stream = await events.stream(wallet, start ?? "oldest", expiry);
        return eventStream(server(), request, sourceOf(stream));
      },
      operation({
        summary: "Receive the agent's events as they happen, as Server-Sent Events",
        tag: "Events",
        query: ["after"],
        answer: AgentEventStreamSchema,
        answerType: "text/event-stream",
        errors: WAITING_ERRORS,
      }),
    );
}

function sourceOf(stream: EventStream) {
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

function parseStart(field: string, value: string | undefined): Start | null {
  // An empty `Last-Event-ID` means that there was none.
  if (value === undefined || (value === "" && field === "Last-Event-ID")) return null;
  if (value === "latest" && field === "after") return "latest";
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw validationError([
    { field, message: 'must be the id of an event, 0 for all, or "latest" for those to come' },
  ]);
}

function parseWhole(
  field: string,
  value: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
  byDefault: number,
): number {
  if (value === undefined) return byDefault;
  if (/^\d{1,4}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw validationError([{ field, message: `must be a whole number from ${min} to ${max}` }]);
}
