import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { getEventListeners } from "node:events";
import { startDeadline } from "./deadline.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("it is over when time is up, and not before", () => {
  const deadline = startDeadline(100);
  jest.advanceTimersByTime(99);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([false, false]);
  jest.advanceTimersByTime(1);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([true, true]);
});

test("the caller's abort is passed on with its reason, and is not time that ran out", () => {
  const abort = new AbortController();
  const deadline = startDeadline(100, abort.signal);
  abort.abort("enough");
  expect(deadline.signal).toMatchObject({ aborted: true, reason: "enough" });
  jest.advanceTimersByTime(100);
  expect(deadline.isOver()).toBe(false);
  expect(deadline.signal.reason).toBe("enough");
});

test("a signal that is aborted already is passed on at once, and nothing listens to it", () => {
  const signal = AbortSignal.abort("before");
  const deadline = startDeadline(100, signal);
  expect(deadline.signal).toMatchObject({ aborted: true, reason: "before" });
  expect(deadline.isOver()).toBe(false);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort after time ran out does not change what ended it", () => {
  const abort = new AbortController();
  const deadline = startDeadline(100, abort.signal);
  jest.advanceTimersByTime(100);
  abort.abort("late");
  expect(deadline.isOver()).toBe(true);
  expect(deadline.signal.reason).not.toBe("late");
});

test("without a time it never comes", () => {
  const deadline = startDeadline(undefined);
  expect(jest.getTimerCount()).toBe(0);
  jest.advanceTimersByTime(1e9);
  expect(deadline.isOver()).toBe(false);
  deadline.end();
});

test("once ended it fires no more and lets go of the caller's signal", () => {
  const abort = new AbortController();
  const deadline = startDeadline(100, abort.signal);
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
  deadline.end();
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
  jest.advanceTimersByTime(100);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([false, false]);
});
