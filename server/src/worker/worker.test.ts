import { expect, jest, test } from "bun:test";
import { openStore } from "../store/store.ts";
import { insertLaunch } from "../testing/launches.ts";
import { turns } from "../testing/scripted-launchpad.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("it deploys as many launches at a time as the concurrency says", async () => {
  await using worker = new TestWorker(2);
  for (const name of ["A1", "B2", "C3"]) insertLaunch(worker.temp, name, { wallet: name });
  await worker.start();
  expect(worker.chain.tickers).toEqual(["A1", "B2"]);
  await worker.deploy(1);
  expect(worker.chain.tickers).toEqual(["A1", "B2", "C3"]);
});

test("it takes a launch that is stored after its start", async () => {
  await using worker = new TestWorker();
  await worker.start();
  insertLaunch(worker.temp, "ONE");
  await worker.wake();
  expect(worker.chain.tickers).toEqual(["ONE"]);
});

test("it renews a lease while it works on the launch", async () => {
  await using worker = new TestWorker();
  jest.useFakeTimers();
  try {
    insertLaunch(worker.temp, "ONE");
    await worker.wake();
    for (let seconds = 0; seconds < 150; seconds += 5) {
      worker.temp.clock.advance(5_000);
      jest.advanceTimersByTime(5_000);
      await turns();
    }
    expect(worker.chain.tickers).toEqual(["ONE"]);
  } finally {
    jest.useRealTimers();
  }
});

test("stopping waits for the launch in progress, and takes no other", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = insertLaunch(temp, "ONE");
  await worker.start();
  insertLaunch(temp, "TWO", { wallet: "other" });
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  await worker.wake();
  expect(chain.call(0).signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  await worker.resolve(0);
  await stopping;
  expect(worker.status(eventId)).toBe("success");
  expect(chain.tickers).toEqual(["ONE"]);
});

test("the next start takes up at once what a killed process held", async () => {
  await using worker = new TestWorker();
  insertLaunch(worker.temp, "ONE");
  await worker.start();
  await worker.start(worker.addWorker());
  expect(worker.chain.tickers).toEqual(["ONE", "ONE"]);
});

test("a database that fails costs no launch and no process", async () => {
  await using worker = new TestWorker();
  const { temp } = worker;
  const eventId = insertLaunch(temp, "ONE");
  const failingStore = openStore(temp.path, temp.clock);
  const failing = worker.addWorker(failingStore.launches);
  await worker.start(failing);
  failingStore.close();
  await worker.resolve(0);
  await worker.wake(failing);
  expect(worker.status(eventId)).toBe("pending");
  temp.clock.advance(60_000);
  await worker.wake();
  await worker.resolve(1);
  expect(worker.status(eventId)).toBe("success");
});
