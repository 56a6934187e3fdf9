import { STREAM_HEARTBEAT_MS } from "@tokenctl/shared/limits";
import type { AgentEvent, AgentEventList, StreamEndReason } from "@tokenctl/shared/types";
import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { EventRow, EventsRead } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import type { EventClient, EventReader, EventReaders } from "./event-readers.ts";

/** Events of one piece of a stream: what the server keeps for a client that reads slowly. */
const STREAM_PAGE = 100;

/** Where a client begins to read: after an event's id, at the oldest that is kept, or after the newest. */
export type Start = number | "oldest" | "latest";

/** How long to wait at most; a wait also ends with the signal, and when the server stops. */
export interface WaitBounds {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export type StreamPiece =
  | { readonly kind: "open"; readonly cursor: number }
  | { readonly kind: "events"; readonly events: readonly AgentEvent[] }
  | { readonly kind: "heartbeat" }
  | { readonly kind: "end"; readonly reason: StreamEndReason };

export interface EventStream {
  /** @returns the next piece as soon as there is one; null after the end */
  next(): Promise<StreamPiece | null>;
  close(): void;
}

/** Gives an agent its events: those that exist, the next one when it happens, or a stream. */
export class EventService {
  readonly #events: Pick<Store["events"], "read">;
  readonly #clock: Clock;
  readonly #readers: EventReaders;

  constructor(
    { events, clock }: { events: Pick<Store["events"], "read">; clock: Clock },
    readers: EventReaders,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#readers = readers;
  }

  /**
   * Lists events, oldest first. If there are none, it waits for one.
   *
   * @throws {ServiceError} 410 `events_gone`; `too_many_streams`, `share_used` or `streams_full` if it
   * would wait
   */
  async list(
    client: EventClient,
    start: Start,
    { limit, ...bounds }: WaitBounds & { readonly limit: number },
  ): Promise<AgentEventList> {
    let after = start;
    const read = async (reader?: EventReader) => {
      const list = toList(await this.#read(client.wallet, after, limit));
      after = list.nextAfter;
      if (reader) reader.cursor = list.nextAfter;
      return list;
    };
    if (bounds.waitMs === 0) return read();
    return this.#until(client, bounds, read, ({ events }) => events.length > 0);
  }

  /**
   * Reads something that the wallet's events tell of: now, and again after each event until it is done.
   *
   * @returns what was read last
   * @throws {ServiceError} `too_many_streams`, `share_used` or `streams_full`
   */
  async until<Found>(
    client: EventClient,
    bounds: WaitBounds,
    read: () => Promise<Found>,
    isDone: (found: Found) => boolean,
  ): Promise<Found> {
    const readAfter = async (reader: EventReader) => {
      // Before what is read: an event after it wakes the reader.
      reader.cursor = (await this.#read(client.wallet, "latest", 0)).cursor;
      return read();
    };
    return this.#until(client, bounds, readAfter, isDone);
  }

  async #until<Found>(
    client: EventClient,
    { waitMs, signal }: WaitBounds,
    read: (reader: EventReader) => Promise<Found>,
    isDone: (found: Found) => boolean,
  ): Promise<Found> {
    using reader = this.#readers.open(client);
    let isLate = false;
    const cancel = this.#clock.after(waitMs, () => {
      isLate = true;
      reader.wake();
    });
    const leave = () => reader.end("server_stopping");
    signal.addEventListener("abort", leave);
    try {
      for (;;) {
        const found = await read(reader);
        if (isDone(found) || isLate || reader.endReason !== null) return found;
        await reader.wait(Number.POSITIVE_INFINITY);
      }
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
    }
  }

  /**
   * Opens a stream: events that there are, then each as it is added.
   *
   * @param expiresAt when the agent's token expires
   * @throws {ServiceError} 410 `events_gone`, `too_many_streams`, `share_used`, `streams_full`
   */
  async stream(client: EventClient, start: Start, expiresAt: number): Promise<EventStream> {
    const { wallet } = client;
    const reader = this.#readers.open(client);
    try {
      const first = await this.#read(wallet, start, STREAM_PAGE);
      return new OpenStream(reader, first, {
        read: (cursor) => this.#events.read(wallet, cursor, STREAM_PAGE),
        clock: this.#clock,
        expiresAt,
      });
    } catch (error) {
      reader[Symbol.dispose]();
      throw error;
    }
  }

  async #read(wallet: string, start: Start, limit: number): Promise<Found> {
    if (start === "latest") {
      const { last } = await this.#events.read(wallet, null, 0);
      return { events: [], cursor: last };
    }
    const found = await this.#events.read(wallet, start === "oldest" ? null : start, limit);
    if (found.kind === "gone") throw eventsGone(found);
    const [first] = found.events;
    return { events: found.events, cursor: first ? first.id - 1 : found.last };
  }
}

/** Events, and the cursor after which they come. */
interface Found {
  readonly events: readonly EventRow[];
  readonly cursor: number;
}

interface StreamDeps {
  readonly read: (cursor: number) => Promise<EventsRead>;
  readonly clock: Clock;
  readonly expiresAt: number;
}

class OpenStream implements EventStream {
  readonly #reader: EventReader;
  readonly #deps: StreamDeps;
  readonly #cancelExpiry: () => void;
  #first: Found | null;
  #isOpened = false;
  #isOver = false;

  constructor(reader: EventReader, first: Found, deps: StreamDeps) {
    this.#reader = reader;
    this.#first = first;
    this.#deps = deps;
    reader.cursor = first.cursor;
    const { clock, expiresAt } = deps;
    this.#cancelExpiry = clock.after(expiresAt - clock.now(), () => reader.end("token_expired"));
  }

  async next(): Promise<StreamPiece | null> {
    if (this.#isOver) return null;
    if (!this.#isOpened) {
      this.#isOpened = true;
      return { kind: "open", cursor: this.#reader.cursor };
    }
    const first = this.#first;
    this.#first = null;
    if (first && first.events.length > 0) return this.#pieceOf(first.events);
    // What was added between the first reading and now has woken the reader.
    let mayHaveMore = this.#mayHaveMore;
    for (;;) {
      // The clock may have been set: the timer does not notice.
      if (this.#deps.clock.now() >= this.#deps.expiresAt) this.#reader.end("token_expired");
      if (this.#reader.endReason !== null) return this.#end(this.#reader.endReason);
      if (mayHaveMore) {
        const piece = await this.#read();
        if (piece !== null) return piece;
      }
      const outcome = await this.#reader.wait(STREAM_HEARTBEAT_MS);
      if (outcome === "timeout") return { kind: "heartbeat" };
      mayHaveMore = outcome === "woken";
    }
  }

  close(): void {
    this.#cancelExpiry();
    this.#isOver = true;
    this.#reader[Symbol.dispose]();
  }

  /** Whether the last page was full. */
  #mayHaveMore = false;

  #pieceOf(events: readonly EventRow[]): StreamPiece {
    this.#mayHaveMore = events.length >= STREAM_PAGE;
    this.#reader.cursor = events.at(-1)?.id ?? this.#reader.cursor;
    return { kind: "events", events: events.map(toWire) };
  }

  async #read(): Promise<StreamPiece | null> {
    let found: EventsRead;
    try {
      found = await this.#deps.read(this.#reader.cursor);
    } catch {
      return this.#end("unavailable");
    }
    if (found.kind === "gone") return this.#end("events_gone");
    if (found.events.length > 0) return this.#pieceOf(found.events);
    this.#mayHaveMore = false;
    return null;
  }

  #end(reason: StreamEndReason): StreamPiece {
    this.close();
    return { kind: "end", reason };
  }
}

function eventsGone({ oldest, last }: Extract<EventsRead, { kind: "gone" }>): ServiceError {
  return new ServiceError("events_gone", {
    advice: `The events that are kept come after ${oldest}; the newest is ${last}.`,
    facts: { oldestAfter: oldest },
  });
}

function toList({ events, cursor }: Found): AgentEventList {
  return { events: events.map(toWire), nextAfter: events.at(-1)?.id ?? cursor };
}

/** @returns an event as clients see it */
export function toWire(row: EventRow): AgentEvent {
  const { id, type, createdAt, eventId, ticker, tokenMint, otherMints, transactionHash } = row;
  const tokenMints = tokenMint === null ? [] : [tokenMint, ...otherMints];
  return {
    id,
    type,
    timestamp: new Date(createdAt).toISOString(),
    data: { eventId, ticker, tokenMint, tokenMints, transactionHash },
  };
}
