import { afterEach, beforeEach, expect, test } from "bun:test";
import { STREAM_HEARTBEAT_MS } from "@tokenctl/shared/limits";
import type { PeriodicTask } from "../../base/clock.ts";
import { createLog } from "../../base/log.ts";
import { sharesOf } from "../../domain/shares.ts";
import type { Events } from "../../store/events.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { newLaunch } from "../../store/testing/rows.ts";
import { describePostgres } from "../../testing/describe-postgres.ts";
import { insertToken, lease } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { PATIENT, sharedPostgres } from "../../testing/postgres.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { retention as retentionOf } from "../retention.ts";
import { ChangeWatch, EventReaders } from "./event-readers.ts";
import { EventService, type EventStream } from "./service.ts";

const HOUR_MS = 3_600_000;
const AGENT = { wallet: "agent", address: null };
const { signal: NEVER } = new AbortController();

let temp: TempStore;
let readers: EventReaders;
let tickers = 0;
beforeEach(() => {
  const clock = new ManualClock();
  readers = new EventReaders(sharesOf(3, 2, { address: 0, network: 0 }), clock);
  temp = tempStore(clock, (wallet) => readers.wake(wallet));
});
afterEach(() => temp[Symbol.dispose]());

const service = (events: Pick<Events, "read"> = temp.store.events) =>
  new EventService({ events, clock: temp.clock }, readers);
const later = () => temp.clock.now() + HOUR_MS;

const retain = (eventsMs: number) =>
  retentionOf(temp.store, eventsMs, createLog("silent")).events as PeriodicTask;

async function add(count = 1, wallet = "agent"): Promise<void> {
  const { launches } = temp.store;
  const createdAt = temp.clock.now();
  await launches.insert(
    Array.from({ length: count }, () => newLaunch(`T${++tickers}`, { wallet, createdAt })),
  );
  await lease(temp, "holder");
  await launches.refuse(wallet, "holder", "launched_today");
}

/** Returns the next piece of a stream that gets no events before its heartbeat is due. */
function nextIdly(stream: EventStream) {
  const piece = stream.next();
  temp.clock.advance(STREAM_HEARTBEAT_MS);
  return piece;
}

/** Returns the ids of a stream's next events. */
async function nextIds(stream: EventStream): Promise<number[]> {
  const piece = await stream.next();
  if (piece?.kind !== "events") throw new Error(`${piece?.kind} instead of events`);
  return piece.events.map(({ id }) => id);
}

test("a stream with nothing to tell sends a heartbeat instead", async () => {
  const stream = await service().stream(AGENT, "oldest", later());
  expect(await stream.next()).toEqual({ kind: "open", cursor: 0 });
  expect(await nextIdly(stream)).toEqual({ kind: "heartbeat" });
  await add();
  expect(await nextIds(stream)).toEqual([1]);
  stream.close();
});

test("a stream with many events hands them out in pieces, and reads no further than it is asked", async () => {
  await add(205);
  const stream = await service().stream(AGENT, 2, later());
  expect(await stream.next()).toEqual({ kind: "open", cursor: 2 });
  const ids = [];
  for (const length of [100, 100, 3]) {
    const piece = await nextIds(stream);
    expect(piece).toHaveLength(length);
    ids.push(...piece);
  }
  expect(ids).toEqual(Array.from({ length: 203 }, (_, n) => n + 3));
  const next = nextIds(stream);
  await add();
  expect(await next).toEqual([206]);
  stream.close();
});

test("an event that is added while a page is read is not missed", async () => {
  let isFirst = true;
  const { events } = temp.store;
  const read: Events["read"] = async (...asked) => {
    const found = await events.read(...asked);
    if (isFirst) {
      isFirst = false;
      await add();
    }
    return found;
  };
  const stream = await service({ read }).stream(AGENT, "latest", later());
  await stream.next();
  expect(await nextIds(stream)).toEqual([1]);
  stream.close();
});

test("a stream whose store does not answer ends, and says so", async () => {
  let isDown = false;
  const { events } = temp.store;
  const read: Events["read"] = (...asked) =>
    isDown ? Promise.reject(new Error("down")) : events.read(...asked);
  const stream = await service({ read }).stream(AGENT, "oldest", later());
  await stream.next();
  isDown = true;
  await add();
  expect(await stream.next()).toEqual({ kind: "end", reason: "unavailable" });
  expect(await stream.next()).toBeNull();
  expect(readers.count).toBe(0);
});

test("a stream that lags behind what is kept ends, and says so", async () => {
  const stream = await service().stream(AGENT, "oldest", later());
  await stream.next();
  await add(3);
  temp.clock.advance(2_000);
  const retention = retain(1_000);
  retention.start();
  await retention.wake();
  expect(await stream.next()).toEqual({ kind: "end", reason: "events_gone" });
  await expect(service().stream(AGENT, 1, later())).rejects.toThrow("not kept");
});

test("old events are deleted step by step until none is left, younger ones never, and so are old prices", async () => {
  await add(1_001);
  const { id: tokenId } = await insertToken(temp, "PRICED", { wallet: "other" });
  const market = { tokenId, price: 1n, marketCap: 5n, raised: 1n, goal: 2n, earned: 0n, fees: 0n };
  await temp.store.markets.record([{ ...market, feeRateAt: () => null }], temp.clock.now());
  const DAY_MS = 24 * HOUR_MS;
  temp.clock.advance(2 * DAY_MS);
  await add(1);
  const { events, prices } = retentionOf(temp.store, DAY_MS, createLog("silent"));
  for (const task of [events, prices]) {
    task?.start();
    await task?.wake();
  }
  const kept = async () => {
    const read = await temp.store.events.read("agent", null, 9);
    return read.kind === "events" && read.events.map(({ id }) => id);
  };
  expect(await kept()).toEqual([1_001, 1_002]);
  temp.clock.advance(100);
  await events?.wake();
  expect(await kept()).toEqual([1_002]);
  const history = (period: "day" | "month") =>
    temp.store.markets.history(tokenId, period, temp.clock.now());
  expect((await history("month")).map(({ price }) => price)).toEqual([1n]);
  temp.clock.advance(30 * DAY_MS);
  await prices.wake();
  expect(await history("month")).toEqual([]);
  for (const task of [events, prices]) await task?.stop();
});

test("a stream ends when the clock passes its token's end, though the timer has not run out", async () => {
  const stream = await service().stream(AGENT, "oldest", later());
  await stream.next();
  expect(await nextIdly(stream)).toEqual({ kind: "heartbeat" });
  temp.clock.set(temp.clock.now() + HOUR_MS);
  expect(await stream.next()).toEqual({ kind: "end", reason: "token_expired" });
});

test("a client that has gone makes room for another, of its agent and in all", async () => {
  const open = (wallet: string) => service().stream({ wallet, address: null }, "oldest", later());
  const [first, second, other] = [await open("agent"), await open("agent"), await open("other")];
  await expect(open("agent")).rejects.toMatchObject({ wireCode: "too_many_streams" });
  await expect(open("third")).rejects.toMatchObject({ wireCode: "streams_full" });
  first.close();
  first.close();
  const again = await open("agent");
  await expect(open("third")).rejects.toMatchObject({ wireCode: "streams_full" });
  for (const stream of [second, other, again]) stream.close();
  expect(readers.count).toBe(0);
});

test("a request that waits ends with its client, and keeps no room", async () => {
  const leaving = new AbortController();
  const waiting = service().list(AGENT, "latest", {
    limit: 9,
    waitMs: HOUR_MS,
    signal: leaving.signal,
  });
  expect(readers.count).toBe(1);
  leaving.abort();
  expect(await waiting).toEqual({ events: [], nextAfter: 0 });
  expect(readers.count).toBe(0);
});

test("a client is not woken for events that it has", async () => {
  using reader = readers.open(AGENT);
  reader.cursor = 5;
  readers.wake("agent", 5);
  const waiting = reader.wait(1_000);
  temp.clock.advance(1_000);
  expect(await waiting).toBe("timeout");
  readers.wake("agent", 6);
  expect(await reader.wait(1_000)).toBe("woken");
});

test("after the readers are closed a stream ends at once, and a request does not wait", async () => {
  readers.close();
  const stream = await service().stream(AGENT, "oldest", later());
  await stream.next();
  expect(await stream.next()).toEqual({ kind: "end", reason: "server_stopping" });
  expect(
    (await service().list(AGENT, "latest", { limit: 9, waitMs: HOUR_MS, signal: NEVER })).events,
  ).toEqual([]);
});

test("what events tell of is read after each of them until it is done, or until time is up", async () => {
  let value = "pending";
  const hasRead = Promise.withResolvers<void>();
  const read = async () => {
    hasRead.resolve();
    return value;
  };
  const waitFor = (expected: string) =>
    service().until(
      AGENT,
      { waitMs: 5_000, signal: NEVER },
      { read, isDone: (found) => found === expected },
    );
  const waiting = waitFor("ended");
  await hasRead.promise;
  value = "ended";
  await add();
  expect(await waiting).toBe("ended");
  const late = waitFor("something else");
  temp.clock.advance(5_000);
  expect(await late).toBe("ended");
  expect(readers.count).toBe(0);
});

describePostgres("servers of one database", () => {
  test("tell their clients of the events that another server adds, each its own wallet's", async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const open = () => openPostgresStore(url, { timeouts: PATIENT });
    const [store, another] = [await open(), await open()];
    const manual = new ManualClock();
    const clock = {
      now: () => store.clock.now(),
      elapsed: manual.elapsed.bind(manual),
      after: manual.after.bind(manual),
    };
    const readers = new EventReaders(sharesOf(9, 9, { address: 0, network: 0 }), clock);
    let questions = 0;
    let reads = 0;
    const events: Pick<Events, "read" | "changedSince"> = {
      read: (...asked) => store.events.read(...asked).finally(() => reads++),
      changedSince(time) {
        questions++;
        return store.events.changedSince(time);
      },
    };
    const watch = new ChangeWatch({ events, clock }, readers);
    readers.onFirst = () => void watch.start();
    try {
      const service = new EventService({ events, clock }, readers);
      const begin = (wallet: string) =>
        service.list({ wallet, address: null }, "latest", {
          ...{ limit: 9, waitMs: HOUR_MS, signal: NEVER },
        });
      expect(questions).toBe(0);
      for (const round of [1, 2]) {
        const [first, stayed] = ["one", "two"].map(begin);
        // Both clients know the latest event before there is a new one.
        while (reads < 2) await new Promise(setImmediate);
        const launch = newLaunch(`A${round}`, { wallet: "one", createdAt: another.clock.now() });
        await another.launches.insert([launch]);
        await another.launches.lease("holder", 60_000);
        await another.launches.fail(launch.eventId, "holder", { message: "refused" });
        while (Bun.peek.status(first) === "pending") await manual.pass(50);
        expect(await first).toMatchObject({ events: [{ id: round }] });
        expect(readers.count).toBe(1);
        readers.endAll();
        expect(await stayed).toEqual({ events: [], nextAfter: 0 });
        reads = 0;
      }
      const asked = questions;
      await watch.begin();
      expect({ questions, waits: manual.waits }).toEqual({ questions: asked, waits: [] });
    } finally {
      await watch.stop();
      await store.close();
      await another.close();
      await (await sharedPostgres()).dropDatabase(url);
    }
  });
});
