import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { getEventListeners } from "node:events";
import { startDeadline } from "./deadline.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("a deadline passes the caller's abort on with its reason, and is not over by it", () => {
  const abort = new AbortController();
  const deadline = startDeadline(100, abort.signal);
  abort.abort("enough");
  expect(deadline.signal).toMatchObject({ aborted: true, reason: "enough" });
  jest.advanceTimersByTime(100);
  expect(deadline.isOver()).toBe(false);
  expect(deadline.signal.reason).toBe("enough");
});

test("a deadline passes on at once a signal that is aborted already, and does not listen to it", () => {
  const signal = AbortSignal.abort("before");
  const deadline = startDeadline(100, signal);
  expect(deadline.signal).toMatchObject({ aborted: true, reason: "before" });
  expect(deadline.isOver()).toBe(false);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a deadline that has ended never fires, and does not listen to the caller's signal", () => {
  const abort = new AbortController();
  const deadline = startDeadline(100, abort.signal);
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
  deadline.end();
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
  jest.advanceTimersByTime(100);
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([false, false]);
});
