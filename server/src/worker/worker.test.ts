import { expect, test } from "bun:test";
import { ChainUnavailableError } from "../launchpad/errors.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import { newAttempt } from "../store/testing/rows.ts";
import { insertLaunch } from "../testing/launches.ts";
import { turns } from "../testing/scripted-launchpad.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("it deploys as many launches at a time as the concurrency says", async () => {
  await using worker = new TestWorker(2);
  for (const name of ["A1", "B2", "C3"]) await insertLaunch(worker.temp, name, { wallet: name });
  await worker.start();
  expect(worker.chain.tickers).toEqual(["A1", "B2"]);
  await worker.deploy(1);
  expect(worker.chain.tickers).toEqual(["A1", "B2", "C3"]);
});

test("it renews a lease while it works on the launch", async () => {
  await using worker = new TestWorker();
  await insertLaunch(worker.temp, "ONE");
  await worker.wake();
  for (let seconds = 0; seconds < 150; seconds += 5) {
    worker.temp.clock.advance(5_000);
    await turns();
  }
  expect(worker.chain.tickers).toEqual(["ONE"]);
});

test("stopping waits for the launch in progress, and takes no other", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  await insertLaunch(temp, "TWO", { wallet: "other" });
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  await worker.wake();
  expect(chain.call(0).signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  await worker.resolve(0);
  await stopping;
  expect(await worker.status(eventId)).toBe("success");
  expect(chain.tickers).toEqual(["ONE"]);
});

test("the next start takes up at once what a killed process held", async () => {
  await using worker = new TestWorker();
  await insertLaunch(worker.temp, "ONE");
  await worker.start();
  await worker.start(worker.addWorker());
  expect(worker.chain.tickers).toEqual(["ONE", "ONE"]);
});

test("a database that fails costs no launch and no process", async () => {
  await using worker = new TestWorker();
  const { temp } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  const failingStore = openSqliteStore(temp.path, { clock: temp.clock });
  const failing = worker.addWorker(failingStore);
  await worker.start(failing);
  await failingStore.close();
  await worker.resolve(0);
  await worker.wake(failing);
  expect(await worker.status(eventId)).toBe("pending");
  temp.clock.advance(60_000);
  await worker.wake();
  await worker.resolve(1);
  expect(await worker.status(eventId)).toBe("success");
});

/** A store whose `lease` answers when the test says so, as one over a network does. */
function slowLeases(store: Store) {
  const calls: (() => void)[] = [];
  const slow: Store = {
    ...store,
    launches: new Proxy(store.launches, {
      get(target, name) {
        const method = Reflect.get(target, name).bind(target);
        if (name !== "lease") return method;
        return async (...values: unknown[]) => {
          await new Promise<void>((resolve) => calls.push(resolve));
          return method(...values);
        };
      },
    }),
  };
  return { slow, calls };
}

test("a wake during a slow lease makes no second one, and another after it", async () => {
  await using worker = new TestWorker();
  const { slow, calls } = slowLeases(worker.temp.store);
  const slowWorker = worker.addWorker(slow);
  await worker.start(slowWorker);
  for (let wake = 0; wake < 3; wake++) await worker.wake(slowWorker);
  expect(calls).toHaveLength(1);
  calls[0]?.();
  await turns();
  expect(calls).toHaveLength(2);
  calls[1]?.();
  await turns();
  expect(calls).toHaveLength(2);
});

test("a stop waits for a lease under way, and gives its launch back", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  await insertLaunch(temp, "ONE");
  const { slow, calls } = slowLeases(temp.store);
  const slowWorker = worker.addWorker(slow);
  await worker.start(slowWorker);
  const stopping = slowWorker.stop();
  await turns();
  expect(Bun.peek.status(stopping)).toBe("pending");
  calls[0]?.();
  await stopping;
  expect(chain.deploys).toHaveLength(0);
  await worker.wake();
  expect(chain.tickers).toEqual(["ONE"]);
});

test("an idle worker reads a shared queue every three seconds, and its own every second", async () => {
  await using worker = new TestWorker();
  for (const [isShared, expected] of [
    [true, 4],
    [false, 12],
  ] as const) {
    let reads = 0;
    const launches = new Proxy(worker.temp.store.launches, {
      get(target, name) {
        if (name === "lease") reads++;
        return Reflect.get(target, name).bind(target);
      },
    });
    const idle = worker.addWorker({ ...worker.temp.store, launches, isShared });
    await worker.start(idle);
    reads = 0;
    for (let seconds = 0; seconds < 12; seconds++) {
      worker.temp.clock.advance(1_000);
      await turns();
    }
    expect(reads).toBe(expected);
    await idle.stop();
  }
});

test("starts no launch while launches are paused, and goes on with those that have a transaction", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  await insertLaunch(temp, "SIGNED");
  await worker.start();
  await worker.chain.call(0).journal.record(newAttempt("SIGNED"));
  await worker.reject(0, new ChainUnavailableError("No answer"));
  worker.isPaused = true;
  await insertLaunch(temp, "WAITS", { wallet: "other" });
  temp.clock.advance(60_000);
  await worker.wake();
  expect(chain.tickers).toEqual(["SIGNED", "SIGNED"]);
  await worker.deploy(1);
  await worker.wake();
  expect(chain.tickers).toHaveLength(2);
  worker.isPaused = false;
  await worker.wake();
  expect(chain.tickers).toEqual(["SIGNED", "SIGNED", "WAITS"]);
});
