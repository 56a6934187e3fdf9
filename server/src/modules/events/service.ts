import { STREAM_HEARTBEAT_MS } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { AgentEvent, AgentEventList, StreamEndReason } from "@tokenctl/shared/types";
import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { Requester } from "../../domain/shares.ts";
import type { StreamSource } from "../../http/listen.ts";
import type { EventRow, EventsRead } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import type { EventReader, EventReaders } from "./event-readers.ts";

/** Events in one piece of a stream, which the server keeps for a client that reads slowly. */
const STREAM_PAGE = 100;

/** Where a client starts: after an event's id, at the oldest that is kept, or after the newest. */
export type Start = number | "oldest" | "latest";

/** The longest wait. A wait also ends with the signal, and when the server stops. */
export interface WaitBounds {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

interface Reading<Found> {
  read(reader: EventReader): Promise<Found>;
  isDone(found: Found): boolean;
}

export type StreamPiece =
  | { readonly kind: "open"; readonly cursor: number }
  | { readonly kind: "events"; readonly events: readonly AgentEvent[] }
  | { readonly kind: "heartbeat" }
  | { readonly kind: "end"; readonly reason: StreamEndReason };

export type EventStream = StreamSource<StreamPiece>;

export class EventService {
  constructor(
    private readonly store: {
      readonly events: Pick<Store["events"], "read">;
      readonly clock: Clock;
    },
    private readonly readers: EventReaders,
  ) {}

  /** @throws {ServiceError} 410 if events are gone, 429 or 503 if too many readers are open */
  async list(
    requester: Requester,
    start: Start,
    { limit, ...bounds }: WaitBounds & { readonly limit: number },
  ): Promise<AgentEventList> {
    let after = start;
    const read = async (reader?: EventReader) => {
      const { events, cursor } = await this.#read(requester.wallet, after, limit);
      const list = { events: events.map(toWire), nextAfter: events.at(-1)?.id ?? cursor };
      after = list.nextAfter;
      if (reader) reader.cursor = list.nextAfter;
      return list;
    };
    if (bounds.waitMs === 0) return read();
    return this.#until(requester, bounds, { read, isDone: ({ events }) => events.length > 0 });
  }

  async until<Found>(
    requester: Requester,
    bounds: WaitBounds,
    { read, isDone }: Reading<Found>,
  ): Promise<Found> {
    const readAfter = async (reader: EventReader) => {
      // Set before the read: an event after it wakes the reader.
      reader.cursor = (await this.#read(requester.wallet, "latest", 0)).cursor;
      return read(reader);
    };
    return this.#until(requester, bounds, { read: readAfter, isDone });
  }

  async #until<Found>(
    requester: Requester,
    { waitMs, signal }: WaitBounds,
    { read, isDone }: Reading<Found>,
  ): Promise<Found> {
    using reader = this.readers.open(requester);
    signal.addEventListener("abort", () => reader.end("server_stopping"), { once: true });
    const { clock } = this.store;
    const end = clock.elapsed() + waitMs;
    for (;;) {
      const found = await read(reader);
      const left = end - clock.elapsed();
      if (isDone(found) || left <= 0 || reader.endReason !== null) return found;
      await reader.wait(left);
    }
  }

  async stream(requester: Requester, start: Start, expiresAt: number): Promise<EventStream> {
    const reader = this.readers.open(requester);
    try {
      const first = await this.#read(requester.wallet, start, STREAM_PAGE);
      reader.cursor = first.cursor;
      const pieces = this.#pieces(reader, first.events, expiresAt);
      return {
        next: async () => (await pieces.next()).value ?? null,
        close() {
          reader[Symbol.dispose]();
          void pieces.return(undefined);
        },
      };
    } catch (error) {
      reader[Symbol.dispose]();
      throw error;
    }
  }

  async *#pieces(
    reader: EventReader,
    page: readonly EventRow[],
    expiresAt: number,
  ): AsyncGenerator<StreamPiece, undefined> {
    const clock = this.store.clock;
    const cancel = clock.after(expiresAt - clock.now(), () => reader.end("token_expired"));
    const end = (reason: StreamEndReason) => {
      reader[Symbol.dispose]();
      return { kind: "end", reason } as const;
    };
    try {
      yield { kind: "open", cursor: reader.cursor };
      // Events added after the first read wake the reader.
      let mayHaveMore = false;
      for (let events = page; ; ) {
        const last = events.at(-1);
        if (last) {
          reader.cursor = last.id;
          mayHaveMore = events.length >= STREAM_PAGE;
          yield { kind: "events", events: events.map(toWire) };
        }
        events = [];
        // The clock may have been set, which the timer does not notice.
        if (clock.now() >= expiresAt) reader.end("token_expired");
        if (reader.endReason !== null) return yield end(reader.endReason);
        if (mayHaveMore) {
          const found = await this.store.events
            .read(reader.wallet, reader.cursor, STREAM_PAGE)
            .catch(() => null);
          if (found === null) return yield end("unavailable");
          if (found.kind === "gone") return yield end("events_gone");
          events = found.events;
        }
        if (events.length > 0) continue;
        const outcome = await reader.wait(STREAM_HEARTBEAT_MS);
        if (outcome === "timeout") yield { kind: "heartbeat" };
        mayHaveMore = outcome === "woken";
      }
    } finally {
      cancel();
      reader[Symbol.dispose]();
    }
  }

  async #read(wallet: string, start: Start, limit: number): Promise<Found> {
    if (start === "latest") {
      const { last } = await this.store.events.read(wallet, null, 0);
      return { events: [], cursor: last };
    }
    const found = await this.store.events.read(wallet, start === "oldest" ? null : start, limit);
    if (found.kind === "gone") throw eventsGone(found);
    const [first] = found.events;
    return { events: found.events, cursor: first ? first.id - 1 : found.last };
  }
}

interface Found {
  readonly events: readonly EventRow[];
  readonly cursor: number;
}

function eventsGone({ oldest, last }: Extract<EventsRead, { kind: "gone" }>): ServiceError {
  return new ServiceError("events_gone", {
    advice: `The events that are kept come after ${oldest}; the newest is ${last}.`,
    facts: { oldestAfter: oldest },
  });
}

export function toWire(row: EventRow): AgentEvent {
  const { id, type, createdAt, eventId, ticker, tokenMint, otherMints, transactionHash } = row;
  const { payer, agentLamports } = row;
  const tokenMints = tokenMint === null ? [] : [tokenMint, ...otherMints];
  return {
    id,
    type,
    timestamp: new Date(createdAt).toISOString(),
    data: {
      eventId,
      ticker,
      tokenMint,
      tokenMints,
      transactionHash,
      ...(payer && { payer }),
      ...(agentLamports !== null && { costSOL: lamportsToSol(agentLamports) }),
    },
  };
}
