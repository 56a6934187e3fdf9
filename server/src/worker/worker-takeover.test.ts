import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../launchpad/errors.ts";
import { openStore } from "../store/store.ts";
import { insertLaunch, newAttempt } from "../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { LeaseLostError } from "./deploy.ts";
import { Worker } from "./worker.ts";

let temp: TempStore;
let chain: ScriptedLaunchpad;
let workers: Worker[];
beforeEach(() => {
  temp = tempStore();
  chain = new ScriptedLaunchpad();
  workers = [];
});
afterEach(async () => {
  for (const call of chain.deploys) call.reject(new Error("the test is over"));
  for (const worker of workers) await worker.stop();
  temp[Symbol.dispose]();
});

function newWorker(launches = temp.store.launches): Worker {
  const log = createLog("silent");
  const worker = new Worker({
    store: launches,
    launchpad: chain,
    clock: temp.clock,
    log,
    concurrency: 4,
  });
  workers.push(worker);
  return worker;
}

const status = (eventId: string) => temp.store.launches.find("agent", eventId)?.status;

/** A launch whose first worker froze, and which a second one has taken over. */
async function takenOver(): Promise<string> {
  const eventId = insertLaunch(temp, "ONE");
  newWorker().wake();
  await turns();
  temp.clock.advance(60_000);
  newWorker().wake();
  await turns();
  expect(chain.tickers).toEqual(["ONE", "ONE"]);
  return eventId;
}

test("a worker that wakes up after its lease ran out signs and settles nothing", async () => {
  const eventId = await takenOver();
  expect(() => chain.call(0).journal.record(newAttempt("ZOMBIE"))).toThrow(LeaseLostError);
  chain.call(0).resolve(newAttempt("ZOMBIE"));
  await turns();
  expect(status(eventId)).toBe("pending");
  expect(temp.store.tokens.list("agent")).toEqual([]);
  chain.call(1).journal.record(newAttempt("ONE"));
  chain.call(1).resolve(newAttempt("ONE"));
  await turns();
  expect(status(eventId)).toBe("success");
  expect(temp.store.tokens.list("agent")).toMatchObject([{ tokenMint: "mint-ONE" }]);
});

test.each([
  ["refusal", new LaunchRefusedError("no")],
  ["outage", new ChainUnavailableError("No answer")],
  ["lost lease", new LeaseLostError()],
])("its %s is not recorded either", async (_, fault) => {
  const eventId = await takenOver();
  chain.call(0).reject(fault);
  await turns();
  expect(status(eventId)).toBe("pending");
  chain.call(1).resolve(newAttempt("ONE"));
  await turns();
  expect(status(eventId)).toBe("success");
});

test("a lease is renewed while its launch is worked on", async () => {
  jest.useFakeTimers();
  try {
    insertLaunch(temp, "ONE");
    newWorker().wake();
    await turns();
    for (let seconds = 0; seconds < 150; seconds += 5) {
      temp.clock.advance(5_000);
      jest.advanceTimersByTime(5_000);
      await turns();
    }
    expect(chain.tickers).toEqual(["ONE"]);
  } finally {
    jest.useRealTimers();
  }
});

test("stopping waits for what is in hand, and takes nothing more", async () => {
  const eventId = insertLaunch(temp, "ONE");
  const worker = newWorker();
  worker.start();
  await turns();
  insertLaunch(temp, "TWO", { wallet: "other" });
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  worker.wake();
  await turns();
  expect(chain.call(0).signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  chain.call(0).resolve(newAttempt("ONE"));
  await stopping;
  expect(status(eventId)).toBe("success");
  expect(chain.tickers).toEqual(["ONE"]);
});

test("what was stopped half-way is taken up by the next start", async () => {
  const eventId = insertLaunch(temp, "ONE");
  const worker = newWorker();
  worker.start();
  await turns();
  chain.call(0).journal.record(newAttempt("ONE"));
  const stopping = worker.stop();
  chain.call(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
  expect(status(eventId)).toBe("pending");
  newWorker().start();
  await turns();
  expect(chain.call(1).journal.latest?.signature).toBe("signature-ONE");
});

test("what a killed process held is taken up at once by the next start", async () => {
  insertLaunch(temp, "ONE");
  newWorker().start();
  await turns();
  newWorker().start();
  await turns();
  expect(chain.tickers).toEqual(["ONE", "ONE"]);
});

test("a database that fails costs no launch and no process", async () => {
  const eventId = insertLaunch(temp, "ONE");
  const failing = openStore(temp.path, temp.clock);
  const worker = newWorker(failing.launches);
  worker.start();
  await turns();
  failing.close();
  chain.call(0).resolve(newAttempt("ONE"));
  await turns();
  worker.wake();
  await turns();
  expect(status(eventId)).toBe("pending");
  temp.clock.advance(60_000);
  newWorker().wake();
  await turns();
  chain.call(1).resolve(newAttempt("ONE"));
  await turns();
  expect(status(eventId)).toBe("success");
});
