import { expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { ManualClock } from "../testing/manual-clock.ts";
import { Lease, nextTurn, PeriodicTask } from "./clock.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (count = 10) => {
  for (let i = 0; i < count; i++) await turn();
};

/** Makes a task whose runs the test ends. */
function scripted(retryMs?: readonly [number, number]) {
  const clock = new ManualClock();
  const runs: PromiseWithResolvers<number>[] = [];
  const errors: unknown[] = [];
  const task = new PeriodicTask({
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
  return { clock, runs, errors, task, end, fail };
}

test("work runs at the start, and again when the time that a run asked for has passed", async () => {
  const { clock, runs, task, end } = scripted();
  let isFirstOver = false;
  task.start();
  void task.wake().then(() => {
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

test("work that a request wakes is none of the request's", async () => {
  const request = new AsyncLocalStorage<string>();
  const clock = new ManualClock();
  const seen: unknown[] = [];
  const run = async () => {
    seen.push(request.getStore());
    return 1_000;
  };
  const task = new PeriodicTask({ clock, run, onError: () => {} });
  await request.run("one", () => task.begin());
  clock.advance(1_000);
  await task.wake();
  await request.run("two", () => task.wake());
  await task.stop();
  expect(seen.length).toBeGreaterThan(2);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

test("many calls in one turn lead to one run, in a later turn", async () => {
  const { runs, task, end } = scripted();
  task.start();
  const woken = [task.wake(), task.wake()];
  expect(runs).toHaveLength(0);
  await turns();
  await end(0);
  await Promise.all(woken);
  expect(runs).toHaveLength(1);
});

test("a call during a run leads to another run after it, never to two at a time", async () => {
  const { clock, runs, task, end } = scripted();
  task.start();
  await turns();
  let isOver = false;
  void task.wake().then(() => {
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

test("of several times for the next run the earliest counts, and the others lead to none", async () => {
  const { clock, runs, task, end } = scripted();
  task.start();
  await turns();
  task.wakeIn(300);
  await end(0, 500);
  task.wakeIn(400);
  expect(clock.waits).toEqual([300, 400, 500]);
  clock.advance(300);
  expect(clock.waits).toEqual([]);
  await turns();
  await end(1, Number.POSITIVE_INFINITY);
  expect(runs).toHaveLength(2);
  expect(clock.waits).toEqual([]);
});

test("a run that throws is reported and repeated, later after each failure in a row", async () => {
  const { clock, runs, errors, task, end, fail } = scripted([100, 350]);
  task.start();
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
  new PeriodicTask(work).start();
  await turns();
  clock.advance(1_000);
  await turns();
  expect(runs).toBe(2);
});

test("a stop aborts the run under way, waits for it, and leaves neither a wait nor a further run", async () => {
  const { clock, runs, errors, task, fail } = scripted();
  task.start();
  await turns();
  const asked = task.wake();
  let isStopped = false;
  const stopped = task.stop().then(() => {
    isStopped = true;
  });
  await turns();
  expect(task.signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  await fail(0, "cut short");
  await Promise.all([stopped, asked]);
  await task.wake();
  await turns();
  expect(errors).toEqual([]);
  expect(runs).toHaveLength(1);
  expect(clock.waits).toEqual([]);
});

test("a stop between two runs cancels the wait, and one before the start prevents it", async () => {
  const { clock, runs, task, end } = scripted();
  task.start();
  await turns();
  await end(0);
  await task.stop();
  expect(clock.waits).toEqual([]);
  const other = scripted();
  await other.task.stop();
  other.task.start();
  other.task.start(5);
  expect(other.runs).toHaveLength(0);
  expect(other.clock.waits).toEqual([]);
  expect(runs).toHaveLength(1);
});

test("a run that asks for no other is followed by one only when it is woken", async () => {
  const { clock, runs, task, end } = scripted();
  await task.wake();
  expect(runs).toHaveLength(0);
  task.start();
  await turns();
  await end(0, Number.POSITIVE_INFINITY);
  expect(clock.waits).toEqual([]);
  void task.wake();
  await turns();
  expect(runs).toHaveLength(2);
});

function leased() {
  const clock = new ManualClock();
  const renewed: number[] = [];
  let answer: () => Promise<unknown> = () => Promise.resolve();
  return {
    clock,
    renewed,
    answerBy(next: () => Promise<unknown>) {
      answer = next;
    },
    renewal: {
      clock,
      renew: () => {
        renewed.push(clock.now());
        return answer();
      },
      onError: () => {},
    },
    async pass(milliseconds: number) {
      clock.advance(milliseconds);
      await turns();
    },
  };
}

test("a lease is renewed each third of its time until the work ends", async () => {
  const { clock, renewed, renewal, pass } = leased();
  const work = Promise.withResolvers<string>();
  const done = new Lease(3_000).during(() => work.promise, renewal);
  await pass(999);
  expect(renewed).toHaveLength(0);
  await pass(1);
  await pass(1_000);
  expect(renewed).toHaveLength(2);
  work.resolve("result");
  expect(await done).toBe("result");
  expect(clock.waits).toEqual([]);
});

test("the end of the work waits for the renewal under way, whether the work throws or not", async () => {
  const { clock, renewal, pass, answerBy } = leased();
  const answer = Promise.withResolvers<void>();
  answerBy(() => answer.promise);
  const work = Promise.withResolvers<void>();
  let isOver = false;
  const done = new Lease(3_000)
    .during(() => work.promise, renewal)
    .finally(() => {
      isOver = true;
    });
  done.catch(() => {});
  await pass(1_000);
  work.reject(new Error("refused"));
  await turns();
  expect(isOver).toBe(false);
  answer.resolve();
  await expect(done).rejects.toThrow("refused");
  expect(clock.waits).toEqual([]);
});

test("callers that wait together continue in order, each in its own turn", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  const order: number[] = [];
  const seen = await Promise.all(
    [1, 2, 3].map(async (number) => {
      await nextTurn();
      order.push(number);
      return turns;
    }),
  );
  expect(order).toEqual([1, 2, 3]);
  expect(new Set(seen).size).toBe(3);
});
