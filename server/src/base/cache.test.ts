import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { BoundedMap, SharedRead } from "./cache.ts";

function counted(lifetimeMs = 1_000) {
  const clock = new ManualClock();
  const state = { reads: 0, fails: false };
  const read = async () => {
    state.reads += 1;
    if (state.fails) throw new Error("away");
    return state.reads;
  };
  return { clock, state, shared: new SharedRead(read, lifetimeMs, clock) };
}

test("callers that ask at once share one read", async () => {
  const { shared } = counted();
  expect(await Promise.all([shared.get(), shared.get(), shared.get()])).toEqual([1, 1, 1]);
});

test("a value is read again once its lifetime is over, to the millisecond", async () => {
  const { shared, clock } = counted();
  await shared.get();
  clock.advance(999);
  expect(await shared.get()).toBe(1);
  clock.advance(1);
  expect(await shared.get()).toBe(2);
});

test("a failed read rejects for all callers and is not kept", async () => {
  const { shared, state } = counted();
  state.fails = true;
  const outcomes = await Promise.allSettled([shared.get(), shared.get()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(state.reads).toBe(1);
  state.fails = false;
  expect(await shared.get()).toBe(2);
});

test("a map returns the last value that was set", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("a", 2);
  expect(map.get("a")).toBe(2);
  expect(map.get("b")).toBeUndefined();
});

test("a full map forgets its oldest entry for a new key, and none for a known key", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("b", 3);
  expect(map.get("a")).toBe(1);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([undefined, 3, 4]);
});

test("a missing value is made once", () => {
  const map = new BoundedMap<string, number>(1);
  expect(map.getOrMake("a", () => 1)).toBe(1);
  expect(map.getOrMake("a", () => 2)).toBe(1);
});
