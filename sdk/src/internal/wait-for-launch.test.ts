import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { AbortError, ConnectionError } from "../errors.ts";
import type { LaunchStatus } from "../narrowed-answers.ts";
import type { WaitOptions } from "../options.ts";
import { waitForLaunch } from "./wait-for-launch.ts";

const EVENT = "0b5b7a34-3f1c-4d0e-9a52-0f6d1d5a7c11";
const launch = (status: LaunchStatus["status"]): LaunchStatus => ({
  eventId: EVENT,
  ticker: "WIF",
  processedAt: null,
  error: null,
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

type Answer = (waitSeconds: number) => LaunchStatus | Promise<LaunchStatus>;

/** Waits for a launch whose reads the test answers, at once even if the client asks to wait. */
function waiting(options: WaitOptions = {}, first: Answer = () => launch("pending")) {
  let polls = 0;
  let answer = first;
  const waits: number[] = [];
  const outcome = waitForLaunch(
    async (signal, waitSeconds) => {
      polls++;
      waits.push(waitSeconds);
      return await Promise.race([answer(waitSeconds), aborted(signal)]);
    },
    EVENT,
    options,
  ).catch((error: unknown) => error);
  /** Lets time pass. @returns the number of polls since the last call */
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
    waits,
    answers: (next: Answer) => {
      answer = next;
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new AbortError(signal.reason));
    if (signal.aborted) fail();
    signal.addEventListener("abort", fail);
  });
}

/** Runs everything that waits for promises, not for timers. */
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
    // One read shows that the launch exists, and one waits for it.
    expect(await pass(delay - 1)).toBe(2);
    answers(() => launch("success"));
    expect(await pass(1)).toBe(1);
    expect(await outcome).toMatchObject({ status: "success" });
    expect(jest.getTimerCount()).toBe(0);
  },
);

/** Answers after the requested wait, on the test's clock. */
const holds = (seconds: number): Promise<LaunchStatus> =>
  new Promise((resolve) => {
    const answer = () => {
      clock.mockReturnValue(performance.now() + seconds * 1_000);
      resolve(launch("pending"));
    };
    if (seconds === 0) answer();
    else setTimeout(answer, seconds * 1_000);
  });

test("a server that waits is asked again at once, and each interval if the caller looks on", async () => {
  for (const [options, wait] of [
    [{}, 55],
    [{ onStatus: () => {} }, 5],
    [{ onStatus: () => {}, intervalMs: 1_200 }, 2],
  ] as const) {
    const { pass, waits, answers, outcome } = waiting(options);
    answers(holds);
    await pass(0);
    for (let round = 0; round < 3; round++) await pass(wait * 1_000);
    expect(waits).toEqual([0, wait, wait, wait, wait]);
    answers(() => launch("success"));
    await pass(wait * 1_000);
    expect(await outcome).toMatchObject({ status: "success" });
  }
});

test("an error of onStatus ends the wait at once, also after a request that the server held", async () => {
  const error = new Error("of the caller");
  let seen = 0;
  const onStatus = () => {
    if (++seen === 2) throw error;
  };
  const { pass, outcome } = waiting({ onStatus }, holds);
  await pass(0);
  await pass(5_000);
  expect(await Promise.race([outcome, runMicrotasks()])).toBe(error);
});

test.each<[string, Answer]>([
  ["does not wait", () => launch("pending")],
  [
    "cuts or refuses a wait",
    (seconds) => {
      if (seconds > 0) throw new ConnectionError("http://x", new Error("cut"));
      return launch("pending");
    },
  ],
])("a server that %s is polled each interval", async (_, answer) => {
  const { pass, waits } = waiting({ intervalMs: 1_000 }, answer);
  for (let round = 0; round < 4; round++) await pass(1_000);
  expect(waits).toEqual([0, 55, 0, 0, 0, 0]);
});

test("an outage of more than a minute since the last status that was read ends the wait with its error", async () => {
  const away = new ConnectionError("http://x", new Error("refused"));
  const { outcome, pass, answers } = waiting({ intervalMs: 1_000 });
  await pass(0);
  clock.mockReturnValue(120_000);
  expect(await pass(1_000)).toBe(1);
  answers(() => {
    throw away;
  });
  // The cut request begins the outage.
  for (const at of [120_000, 180_000]) {
    clock.mockReturnValue(at);
    expect(await pass(1_000)).toBe(1);
  }
  expect(Bun.peek.status(outcome)).toBe("pending");
  clock.mockReturnValue(180_001);
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
    name: "TimeoutError",
    timeoutMs: 1_000,
    eventId: EVENT,
    lastStatus: { status: "pending" },
  });
  expect(jest.getTimerCount()).toBe(0);
});
