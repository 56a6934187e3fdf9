import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { SharedRead } from "./shared-read.ts";

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

test("a value is read again after the clock was set back", async () => {
  const { shared, clock } = counted();
  await shared.get();
  clock.advance(-1);
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
