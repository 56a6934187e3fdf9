import { expect, test } from "bun:test";
import { insertLaunch, lease, newLaunch } from "../../testing/launches.ts";
import { UNBOUNDED } from "../launch-intake.ts";
import { QueueRoom } from "./queue-room.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);

const atMost = (maxPending: number) => ({ ...UNBOUNDED, maxPending });
const kinds = (outcomes: readonly { kind: string }[]) => outcomes.map(({ kind }) => kind);

test("the queue takes as many launches as its limit, in one batch or in several", async () => {
  const { launches } = temp.store;
  const batch = ["AA", "BB", "CC", "DD"].map((ticker, index) =>
    newLaunch(ticker, { wallet: index % 2 === 0 ? "agent" : "other" }),
  );
  expect(kinds(await launches.insert(batch.slice(0, 1), atMost(3)))).toEqual(["stored"]);
  expect(kinds(await launches.insert(batch.slice(1), atMost(3)))).toEqual([
    "stored",
    "stored",
    "queue_full",
  ]);
  expect((await launches.backlog()).depth).toBe(3);
});

test("a launch that leaves the queue makes room", async () => {
  const { launches } = temp.store;
  await insertLaunch(temp, "AA");
  expect(kinds(await launches.insert([newLaunch("BB")], atMost(1)))).toEqual(["queue_full"]);
  const launch = await lease(temp, "lease");
  await launches.fail(launch?.eventId ?? "", "lease", "refused");
  expect(kinds(await launches.insert([newLaunch("BB"), newLaunch("CC")], atMost(1)))).toEqual([
    "stored",
    "queue_full",
  ]);
});

test("a request that is known under its key is answered while the queue is full", async () => {
  const idempotency = { key: "key", requestHash: "hash" };
  const known = newLaunch("AA", { idempotency });
  await temp.store.launches.insert([known], atMost(1));
  const again = { ...known, eventId: crypto.randomUUID() };
  const other = { ...again, idempotency: { key: "key", requestHash: "other" } };
  expect(await temp.store.launches.insert([again, other], atMost(1))).toEqual([
    { kind: "replayed", eventId: known.eventId },
    { kind: "key_reused" },
  ]);
});

test("taken tickers and undone transactions use up no room", async () => {
  const { launches } = temp.store;
  await insertLaunch(temp, "AA");
  for (let i = 0; i < 5; i++) {
    expect(kinds(await launches.insert([newLaunch("AA")], atMost(3)))).toEqual(["ticker_taken"]);
    const first = newLaunch("BB");
    const sameId = { ...first, ticker: "CC" };
    await expect(launches.insert([first, sameId], atMost(3))).rejects.toThrow("UNIQUE");
  }
  expect(kinds(await launches.insert([newLaunch("BB"), newLaunch("CC")], atMost(3)))).toEqual([
    "stored",
    "stored",
  ]);
});

test("pending launches are counted only when the upper bound reaches the limit", () => {
  let counted = 0;
  let pending = 0;
  const room = new QueueRoom(() => {
    counted++;
    return pending;
  });
  // The queue stays empty: each launch leaves at once.
  for (let i = 0; i < 10_000; i++) {
    expect(room.pending(100)).toBeLessThan(100);
    room.add();
  }
  expect(counted).toBe(100);
  pending = 100;
  expect(room.pending(100)).toBe(100);
  pending = 99;
  expect(room.pending(100)).toBe(99);
  room.add();
  pending = 100;
  expect(room.pending(100)).toBe(100);
});
