import {
  AgentEventListSchema,
  AgentEventStreamSchema,
  FeeThresholdListSchema,
  FeeThresholdRequestSchema,
} from "@tokenctl/shared/contract/event";
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
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
      description:
        "Sends the events after a cursor as Server-Sent Events, and goes on until the token expires.",
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

export function thresholdEndpoints({ watch, tokens }: Pick<Store, "watch" | "tokens">) {
  async function list(wallet: string) {
    const thresholds = await watch.thresholds(wallet);
    return {
      thresholds: thresholds.map(({ tokenMint, lamports }) => ({
        tokenMint,
        claimableSOL: lamportsToSol(lamports),
      })),
    };
  }
  /** @param tokenMint null for all tokens */
  async function set(wallet: string, tokenMint: string | null, claimableSOL: number | string) {
    const lamports = parseSolAmount("claimableSOL", claimableSOL, MAX_LAMPORTS);
    await requireToken(wallet, tokenMint);
    await watch.setThreshold(wallet, { tokenMint, lamports });
    return list(wallet);
  }
  async function remove(wallet: string, tokenMint: string | null) {
    await requireToken(wallet, tokenMint);
    await watch.deleteThreshold(wallet, tokenMint);
    return list(wallet);
  }
  async function requireToken(wallet: string, tokenMint: string | null): Promise<void> {
    if (tokenMint === null || (await tokens.find(wallet, tokenMint))) return;
    throw new ServiceError("token_not_found");
  }
  const common = { tag: "Events", answer: FeeThresholdListSchema, errors: [] } as const;
  const ofToken = { ...common, errors: ["token_not_found"] } as const;
  const body = json(FeeThresholdRequestSchema);
  return [
    endpoint({
      ...common,
      route: "GET /api/v1/events/thresholds/",
      id: "listFeeThresholds",
      summary: "List the agent's fee thresholds",
      description:
        "Returns the thresholds of the agent: the one of all its tokens, whose `tokenMint` is null, and those of single tokens. A token that reaches its threshold causes one `fees.claimable` event.",
      handle: ({ wallet }) => list(wallet),
    }),
    endpoint({
      ...common,
      route: "PUT /api/v1/events/thresholds/",
      id: "setFeeThreshold",
      summary: "Set the fee threshold of all tokens",
      description:
        "Sets the threshold of all tokens that have none of their own, and returns all thresholds.",
      body,
      handle: ({ wallet, body }) => set(wallet, null, body.claimableSOL),
    }),
    endpoint({
      ...common,
      route: "DELETE /api/v1/events/thresholds/",
      id: "deleteFeeThreshold",
      summary: "Remove the fee threshold of all tokens",
      description: "Returns the thresholds that are left. Deleting it again changes nothing.",
      handle: ({ wallet }) => remove(wallet, null),
    }),
    endpoint({
      ...ofToken,
      route: "PUT /api/v1/events/thresholds/:mintAddress",
      id: "setTokenFeeThreshold",
      summary: "Set one token's fee threshold",
      description:
        "Sets the threshold of one token, which counts instead of that of all tokens, and returns all thresholds.",
      body,
      handle: ({ wallet, params, body }) => set(wallet, params.mintAddress, body.claimableSOL),
    }),
    endpoint({
      ...ofToken,
      route: "DELETE /api/v1/events/thresholds/:mintAddress",
      id: "deleteTokenFeeThreshold",
      summary: "Remove one token's fee threshold",
      description: "Returns the thresholds that are left. Deleting it again changes nothing.",
      handle: ({ wallet, params }) => remove(wallet, params.mintAddress),
    }),
  ];
}
