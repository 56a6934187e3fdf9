import {
  AgentEventListSchema,
  AgentEventStreamSchema,
  FeeThresholdListSchema,
  FeeThresholdRequestSchema,
} from "@tokenctl/shared/contract/event";
import { limits } from "@tokenctl/shared/limits";
import { Elysia } from "elysia";
import { type bearerPlugin, type TokenExpiries, tokenExpiry } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import type { ShareAddress } from "../../http/client-address.ts";
import { eventStream, eventStreamHead } from "../../http/event-stream.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { longAnswer } from "../../http/long-answer.ts";
import { operation } from "../../http/openapi.ts";
import { parseWhole } from "../../http/paging.ts";
import { parser, validationError } from "../../http/validation.ts";
import type { EventService, EventStream, Start, StreamPiece } from "./service.ts";
import type { FeeThresholds } from "./thresholds.ts";

const WAITING_ERRORS = ["events_gone", "too_many_streams", "share_used", "streams_full"] as const;

const parseThreshold = parser(FeeThresholdRequestSchema);

export interface EventRouteDeps {
  readonly events: EventService;
  readonly thresholds: FeeThresholds;
  readonly bearer: ReturnType<typeof bearerPlugin>;
  /** Knows when a token expires, and its stream with it. */
  readonly sessions: TokenExpiries;
  readonly addressOf: ShareAddress;
  readonly server: CurrentServer;
}

export function eventRoutes(deps: EventRouteDeps) {
  const { events, thresholds, bearer, sessions, addressOf, server } = deps;
  const threshold = { tag: "Events", answer: FeeThresholdListSchema, errors: [] } as const;
  const ofToken = { ...threshold, errors: ["token_not_found"] } as const;
  return new Elysia({ prefix: "/api/v1/events" })
    .use(bearer)
    .get(
      "/",
      ({ request, wallet, query }) => {
        const start = parseStart("after", query.after) ?? "oldest";
        const limit = parseWhole("limit", query.limit, limits.events, limits.events.byDefault);
        const wait = parseWhole("wait", query.wait, limits.eventWait, 0);
        const client = { wallet, address: addressOf(request) };
        const options = { limit, waitMs: wait * 1000, signal: request.signal };
        const list = () => events.list(client, start, options);
        return wait === 0 ? list() : longAnswer(server(), request, list);
      },
      operation({
        id: "listEvents",
        summary: "List the agent's events",
        description:
          "Returns the events after a cursor, oldest first; with `wait` it waits for one if there is none. `nextAfter` is the `after` of the next request. Delivery is at least once, and in order.",
        tag: "Events",
        query: ["after", "wait", "eventLimit"],
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
        const stream = await events.stream(
          { wallet, address: addressOf(request) },
          start ?? "oldest",
          expiry,
        );
        return eventStream(server(), request, sourceOf(stream));
      },
      operation({
        id: "streamEvents",
        summary: "Receive the agent's events as they happen",
        description:
          "Sends the events after a cursor as Server-Sent Events, and goes on until the token expires.",
        tag: "Events",
        query: ["after"],
        headers: ["Last-Event-ID"],
        answer: AgentEventStreamSchema,
        answerType: "text/event-stream",
        errors: WAITING_ERRORS,
      }),
    )
    .get(
      "/thresholds/",
      ({ wallet }) => thresholds.list(wallet),
      operation({
        id: "listFeeThresholds",
        summary: "List from how much on the agent hears of its fees",
        description:
          "Returns the thresholds of the agent: the one of all its tokens, whose `tokenMint` is null, and those of single tokens. A token that reaches its threshold causes one `fees.claimable` event.",
        ...threshold,
      }),
    )
    .put(
      "/thresholds/",
      async ({ request, wallet }) => {
        const { claimableSOL } = parseThreshold(await readJson(request));
        return thresholds.set(wallet, null, claimableSOL);
      },
      operation({
        id: "setFeeThreshold",
        summary: "Hear of the fees of every token once so much can be claimed",
        description:
          "Sets the threshold of all tokens that have none of their own, and returns all thresholds.",
        body: FeeThresholdRequestSchema,
        ...threshold,
      }),
    )
    .delete(
      "/thresholds/",
      ({ wallet }) => thresholds.delete(wallet, null),
      operation({
        id: "deleteFeeThreshold",
        summary: "Hear no more of the fees of tokens without a threshold of their own",
        description: "Returns the thresholds that are left. Deleting it again changes nothing.",
        ...threshold,
      }),
    )
    .put(
      "/thresholds/:mintAddress",
      async ({ request, wallet, params: { mintAddress } }) => {
        const { claimableSOL } = parseThreshold(await readJson(request));
        return thresholds.set(wallet, mintAddress, claimableSOL);
      },
      operation({
        id: "setTokenFeeThreshold",
        summary: "Hear of one token's fees once so much can be claimed",
        description:
          "Sets the threshold of one token, which counts instead of that of all tokens, and returns all thresholds.",
        body: FeeThresholdRequestSchema,
        ...ofToken,
      }),
    )
    .delete(
      "/thresholds/:mintAddress",
      ({ wallet, params: { mintAddress } }) => thresholds.delete(wallet, mintAddress),
      operation({
        id: "deleteTokenFeeThreshold",
        summary: "Treat one token's fees as those of all tokens again",
        description: "Returns the thresholds that are left. Deleting it again changes nothing.",
        ...ofToken,
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
