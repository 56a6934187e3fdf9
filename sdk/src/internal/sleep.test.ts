import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { getEventListeners } from "node:events";
import { AbortError } from "../errors.ts";
import { sleep } from "./deadline.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("a sleep waits as long as it is told, and then does not listen to the signal", async () => {
  const { signal } = new AbortController();
  const woken = jest.fn();
  const sleeping = sleep(100, signal).then(woken);
  jest.advanceTimersByTime(99);
  await Promise.resolve();
  expect(woken).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  await sleeping;
  expect(woken).toHaveBeenCalled();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort ends a sleep and its timer at once, so that the process can end", async () => {
  const abort = new AbortController();
  const error = sleep(60_000, abort.signal).catch((caught: unknown) => caught);
  expect(jest.getTimerCount()).toBe(1);
  abort.abort("enough");
  expect(await error).toBeInstanceOf(AbortError);
  expect(await error).toMatchObject({ cause: "enough" });
  expect(jest.getTimerCount()).toBe(0);
});

test("a signal that is aborted already starts no timer", async () => {
  const error = await sleep(60_000, AbortSignal.abort("before")).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "aborted", cause: "before" });
  expect(jest.getTimerCount()).toBe(0);
});
