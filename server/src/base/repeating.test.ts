import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { Repeating } from "./repeating.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (count = 10) => {
  for (let i = 0; i < count; i++) await turn();
};

/** Work whose runs the test ends. */
function scripted(retryMs?: readonly [number, number]) {
  const clock = new ManualClock();
  const runs: PromiseWithResolvers<number>[] = [];
  const errors: unknown[] = [];
  const repeating = new Repeating({
    clock,
    run: () => {
      const run = Promise.withResolvers<number>();
      runs.push(run);
      return run.promise;
    },
    onError: (error) => errors.push(error),
    ...(retryMs && { retryMs }),
  });
  const end = async (index: number, pauseMs = 1_000) => {
    runs[index]?.resolve(pauseMs);
    await turns();
  };
  const fail = async (index: number, error: unknown) => {
    runs[index]?.reject(error);
    await turns();
  };
  return { clock, runs, errors, repeating, end, fail };
}

test("work runs at the start, and again when the time that a run asked for has passed", async () => {
  const { clock, runs, repeating, end } = scripted();
  let isFirstOver = false;
  repeating.start();
  void repeating.wake().then(() => {
    isFirstOver = true;
  });
  await turns();
  expect(runs).toHaveLength(1);
  expect(isFirstOver).toBe(false);
  await end(0, 500);
  expect(isFirstOver).toBe(true);
  clock.advance(499);
  await turns();
  expect(runs).toHaveLength(1);
  clock.advance(1);
  await turns();
  expect(runs).toHaveLength(2);
});

test("work that starts later does not run before", async () => {
  const { clock, runs, repeating } = scripted();
  repeating.start(700);
  await turns();
  expect(runs).toHaveLength(0);
  clock.advance(700);
  await turns();
  expect(runs).toHaveLength(1);
});

test("many calls in one turn lead to one run, in a later turn", async () => {
  const { runs, repeating, end } = scripted();
  repeating.start();
  const woken = [repeating.wake(), repeating.wake()];
  expect(runs).toHaveLength(0);
  await turns();
  await end(0);
  await Promise.all(woken);
  expect(runs).toHaveLength(1);
});

test("a call during a run leads to another run after it, never to two at a time", async () => {
  const { clock, runs, repeating, end } = scripted();
  repeating.start();
  await turns();
  let isOver = false;
  void repeating.wake().then(() => {
    isOver = true;
  });
  await turns();
  expect(runs).toHaveLength(1);
  await end(0, 5);
  expect(runs).toHaveLength(2);
  expect(isOver).toBe(false);
  expect(clock.waits).toEqual([]);
  await end(1, 5);
  expect(isOver).toBe(true);
  expect(clock.waits).toEqual([5]);
});

test("a call ends the wait for the next run", async () => {
  const { clock, runs, repeating, end } = scripted();
  repeating.start();
  await turns();
  await end(0);
  void repeating.wake();
  expect(clock.waits).toEqual([]);
  await turns();
  expect(runs).toHaveLength(2);
});

test("of several times for the next run the earliest counts, and the others lead to none", async () => {
  const { clock, runs, repeating, end } = scripted();
  repeating.start();
  await turns();
  repeating.wakeIn(300);
  await end(0, 500);
  repeating.wakeIn(400);
  expect(clock.waits).toEqual([300, 400, 500]);
  clock.advance(300);
  expect(clock.waits).toEqual([]);
  await turns();
  await end(1, Number.POSITIVE_INFINITY);
  expect(runs).toHaveLength(2);
  expect(clock.waits).toEqual([]);
});

test("a run that throws is reported and repeated, later after each failure in a row", async () => {
  const { clock, runs, errors, repeating, end, fail } = scripted([100, 350]);
  repeating.start();
  await turns();
  for (const [index, pauseMs] of [100, 200, 350, 350].entries()) {
    await fail(index, `failure ${index}`);
    expect(clock.waits).toEqual([pauseMs]);
    clock.advance(pauseMs);
    await turns();
  }
  expect(errors).toEqual(["failure 0", "failure 1", "failure 2", "failure 3"]);
  await end(4, 7);
  expect(clock.waits).toEqual([7]);
  clock.advance(7);
  await turns();
  await fail(5, "again");
  expect(clock.waits).toEqual([100]);
  expect(runs).toHaveLength(6);
});

test("a report that throws does not end the work", async () => {
  const clock = new ManualClock();
  let runs = 0;
  const work = {
    clock,
    run: () => Promise.reject(++runs),
    onError: () => {
      throw new Error("the log is full");
    },
  };
  new Repeating(work).start();
  await turns();
  clock.advance(1_000);
  await turns();
  expect(runs).toBe(2);
});

test("a stop aborts the run under way, waits for it, and leaves neither a wait nor a further run", async () => {
  const { clock, runs, errors, repeating, fail } = scripted();
  repeating.start();
  await turns();
  const asked = repeating.wake();
  let isStopped = false;
  const stopped = repeating.stop().then(() => {
    isStopped = true;
  });
  await turns();
  expect(repeating.signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  await fail(0, "cut short");
  await Promise.all([stopped, asked]);
  await repeating.wake();
  await turns();
  expect(errors).toEqual([]);
  expect(runs).toHaveLength(1);
  expect(clock.waits).toEqual([]);
});

test("a stop between two runs cancels the wait, and one before the start prevents it", async () => {
  const { clock, runs, repeating, end } = scripted();
  repeating.start();
  await turns();
  await end(0);
  await repeating.stop();
  expect(clock.waits).toEqual([]);
  const other = scripted();
  await other.repeating.stop();
  other.repeating.start();
  other.repeating.start(5);
  expect(other.runs).toHaveLength(0);
  expect(other.clock.waits).toEqual([]);
  expect(runs).toHaveLength(1);
});

test("a run that asks for no other is followed by one only when it is woken", async () => {
  const { clock, runs, repeating, end } = scripted();
  await repeating.wake();
  expect(runs).toHaveLength(0);
  repeating.start();
  await turns();
  await end(0, Number.POSITIVE_INFINITY);
  expect(clock.waits).toEqual([]);
  void repeating.wake();
  await turns();
  expect(runs).toHaveLength(2);
});
