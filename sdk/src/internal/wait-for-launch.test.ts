import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { ConnectionError } from "../errors.ts";
import type { LaunchStatus } from "../launch-status.ts";
import type { WaitOptions } from "../options.ts";
import { waitForLaunch } from "./wait-for-launch.ts";

const EVENT = "0b5b7a34-3f1c-4d0e-9a52-0f6d1d5a7c11";
const launch = (status: LaunchStatus["status"]): LaunchStatus => ({
  ...{ eventId: EVENT, ticker: "WIF", processedAt: null, error: null },
  ...(status === "success"
    ? { status, tokenMint: "mint", poolAddress: "pool" }
    : { status, tokenMint: null, poolAddress: null }),
});

let clock: ReturnType<typeof spyOn>;
let random: ReturnType<typeof spyOn>;
beforeEach(() => {
  jest.useFakeTimers();
  clock = spyOn(performance, "now").mockReturnValue(0);
  random = spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  jest.useRealTimers();
  clock.mockRestore();
  random.mockRestore();
});

/** Waits for a launch whose polls the test answers. */
function waiting(options: WaitOptions = {}, news?: Parameters<typeof waitForLaunch>[3]) {
  let polls = 0;
  let answer = (): LaunchStatus => launch("pending");
  const outcome = waitForLaunch(
    async () => {
      polls++;
      return answer();
    },
    EVENT,
    options,
    news,
  ).catch((error: unknown) => error);
  /** Lets time pass. @returns how often it was polled since the last time */
  const pass = async (milliseconds: number) => {
    await runMicrotasks();
    jest.advanceTimersByTime(milliseconds);
    await runMicrotasks();
    const made = polls;
    polls = 0;
    return made;
  };
  return {
    outcome,
    pass,
    answers: (next: () => LaunchStatus) => {
      answer = next;
    },
  };
}

/** Runs what waits for promises, not for timers. */
async function runMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test.each([
  [0, 4_500],
  [0.5, 5_000],
  [1, 5_500],
])(
  "waitForLaunch polls every five seconds, a tenth more or less: by chance %d after %d ms",
  async (chance, delay) => {
    random.mockReturnValue(chance);
    const { outcome, pass, answers } = waiting();
    expect(await pass(delay - 1)).toBe(1);
    answers(() => launch("success"));
    expect(await pass(1)).toBe(1);
    expect(await outcome).toMatchObject({ status: "success" });
    expect(jest.getTimerCount()).toBe(0);
  },
);

test("beside a stream of events it polls rarely, but each interval if somebody looks on", async () => {
  const follower = { isLive: true, next: () => new Promise<void>(() => {}), stop() {} };
  const news = { follow: () => follower };
  const quiet = waiting({}, news);
  // Again once the stream is open.
  expect((await quiet.pass(0)) + (await quiet.pass(0))).toBe(2);
  expect(await quiet.pass(25_000)).toBe(0);
  expect(await quiet.pass(6_000)).toBe(1);
  const watched = waiting({ onStatus: () => {} }, news);
  expect((await watched.pass(0)) + (await watched.pass(0))).toBe(2);
  expect(await watched.pass(6_000)).toBe(1);
  expect(await watched.pass(6_000)).toBe(1);
});

test("an outage counts from the last status that was read", async () => {
  const { outcome, pass, answers } = waiting({ intervalMs: 1_000 });
  await pass(0);
  clock.mockReturnValue(120_000);
  expect(await pass(1_000)).toBe(1);
  answers(() => {
    throw new ConnectionError("http://x", new Error("refused"));
  });
  clock.mockReturnValue(180_000);
  expect(await pass(1_000)).toBe(1);
  answers(() => launch("failed"));
  expect(await pass(1_000)).toBe(1);
  expect(await outcome).toMatchObject({ status: "failed" });
});

test("an outage that begins before the first poll does not end the wait for a minute", async () => {
  const { outcome, pass, answers } = waiting({ intervalMs: 1_000 });
  answers(() => {
    throw new ConnectionError("http://x", new Error("refused"));
  });
  expect(await pass(0)).toBe(1);
  clock.mockReturnValue(60_000);
  expect(await pass(1_000)).toBe(1);
  answers(() => launch("success"));
  expect(await pass(1_000)).toBe(1);
  expect(await outcome).toMatchObject({ status: "success" });
});

test("an outage of more than a minute ends the wait with its error", async () => {
  const away = new ConnectionError("http://x", new Error("refused"));
  const { outcome, pass, answers } = waiting({ intervalMs: 1_000 });
  await pass(0);
  answers(() => {
    throw away;
  });
  clock.mockReturnValue(60_001);
  await pass(1_000);
  expect(await outcome).toBe(away);
});

test("an abort between two polls ends the wait at once", async () => {
  const abort = new AbortController();
  const { outcome, pass } = waiting({ signal: abort.signal, intervalMs: 3_600_000 });
  await pass(0);
  abort.abort("enough");
  expect(await outcome).toMatchObject({ name: "AbortError", cause: "enough" });
  expect(jest.getTimerCount()).toBe(0);
});

test("a timeout between two polls ends the wait, with the last status in the error", async () => {
  const { outcome, pass } = waiting({ timeoutMs: 1_000, intervalMs: 3_600_000 });
  await pass(1_000);
  expect(await outcome).toMatchObject({
    ...{ name: "LaunchWaitTimeoutError", timeoutMs: 1_000, eventId: EVENT },
    lastStatus: { status: "pending" },
  });
  expect(jest.getTimerCount()).toBe(0);
});
