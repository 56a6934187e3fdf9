import {
  AgentEventListSchema,
  AgentEventStreamSchema,
  FeeThresholdRequestSchema,
  FeeThresholdSchema,
} from "@tokenctl/shared/contract/event";
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { DayPlaces } from "../../http/admit.ts";
import { parseSolAmount } from "../../http/body.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import { type CurrentServer, eventStream, eventStreamHead } from "../../http/listen.ts";
import { AFTER, LAST_EVENT_ID, whole } from "../../http/parameters.ts";
import type { Store } from "../../store/store.ts";
import type { EventService, StreamPiece } from "./service.ts";

const tag = "Events";
const WAITING_ERRORS = ["events_gone", "too_many_streams", "share_used", "streams_full"] as const;

const { events: perAnswer, eventWait } = limits;

export function eventEndpoints(events: EventService, server: CurrentServer) {
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
        wait: whole({ ...eventWait, absent: 0 }, "Seconds to wait for an event if there is none"),
        limit: whole(
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
      description: "Sends the events after a cursor as Server-Sent Events until the token expires.",
      tag,
      query: { after: AFTER },
      headers: { "Last-Event-ID": LAST_EVENT_ID },
      takesAddress: true,
      answer: AgentEventStreamSchema,
      answerType: "text/event-stream",
      errors: WAITING_ERRORS,
      async handle({ request, wallet, expiresAt, address, query, headers }) {
        if (request.method === "HEAD") return eventStreamHead();
        // The header is newer: a browser that reconnects sends the same address again.
        const start = headers["Last-Event-ID"] ?? query.after ?? "oldest";
        const stream = await events.stream({ wallet, address }, start, expiresAt);
        return eventStream({ server: server(), request }, stream, toText);
      },
    }),
  ];
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

const MAX_LAMPORTS = BigInt(limits.feeThresholdSOL.max) * LAMPORTS_PER_SOL;

export function thresholdEndpoints({ watch }: Store, takeDayPlace: DayPlaces) {
  const onWire = (lamports: bigint | null) => ({
    claimableSOL: lamports === null ? null : lamportsToSol(lamports),
  });
  const route = "/api/v1/events/threshold/";
  const common = { tag, answer: FeeThresholdSchema, errors: [] } as const;
  return [
    endpoint({
      ...common,
      route: `GET ${route}`,
      id: "getFeeThreshold",
      summary: "Read the agent's fee threshold",
      description:
        "Each token of the agent whose claimable fees reach the threshold causes one `fees.claimable` event.",
      handle: async ({ wallet }) => onWire(await watch.threshold(wallet)),
    }),
    endpoint({
      ...common,
      route: `PUT ${route}`,
      id: "setFeeThreshold",
      summary: "Set the agent's fee threshold",
      description: "Sets the threshold of all the agent's tokens.",
      errors: ["share_used"],
      body: json(FeeThresholdRequestSchema),
      takesAddress: true,
      async handle({ wallet, address, body: { claimableSOL } }) {
        const lamports = parseSolAmount("claimableSOL", claimableSOL, MAX_LAMPORTS);
        if ((await watch.threshold(wallet)) === null) takeDayPlace(wallet, address);
        await watch.setThreshold(wallet, lamports);
        return onWire(lamports);
      },
    }),
    endpoint({
      ...common,
      route: `DELETE ${route}`,
      id: "deleteFeeThreshold",
      summary: "Remove the agent's fee threshold",
      description: "Deleting it again changes nothing.",
      async handle({ wallet }) {
        await watch.deleteThreshold(wallet);
        return onWire(null);
      },
    }),
  ];
}
