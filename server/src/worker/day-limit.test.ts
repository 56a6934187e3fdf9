import { afterEach, beforeEach, expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../launchpad/errors.ts";
import { insertLaunch, insertToken, newAttempt } from "../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { DayUsedError } from "./deploy.ts";
import { Worker } from "./worker.ts";

let temp: TempStore;
let chain: ScriptedLaunchpad;
let worker: Worker;
beforeEach(() => {
  temp = tempStore();
  chain = new ScriptedLaunchpad();
  worker = newWorker();
});
afterEach(async () => {
  for (const call of chain.deploys) call.reject(new Error("the test is over"));
  await worker.stop();
  temp[Symbol.dispose]();
});

function newWorker(concurrency = 4): Worker {
  const { store, clock } = temp;
  const log = createLog("silent");
  return new Worker({ store: store.launches, launchpad: chain, clock, log, concurrency });
}

async function started(): Promise<void> {
  worker.start();
  await turns();
}

async function woken(): Promise<void> {
  worker.wake();
  await turns();
}

/** The n-th deployment goes well. */
async function deployed(index: number): Promise<void> {
  const { order, journal, resolve } = chain.call(index);
  const attempt = newAttempt(order.ticker);
  journal.record(attempt);
  resolve(attempt);
  await turns();
}

async function refused(index: number, fault: unknown): Promise<void> {
  chain.call(index).reject(fault);
  await turns();
}

const status = (eventId: string, wallet = "agent") =>
  temp.store.launches.find(wallet, eventId)?.status;

test("of 20 launches of one agent one is deployed and 19 are rate_limited", async () => {
  const ids = Array.from({ length: 20 }, (_, n) => insertLaunch(temp, `T${n}`));
  const other = insertLaunch(temp, "OTHER", { wallet: "other" });
  await started();
  expect(chain.tickers).toEqual(["T0", "OTHER"]);
  await deployed(0);
  await deployed(1);
  expect(ids.map((id) => status(id))).toEqual(["success", ...Array(19).fill("rate_limited")]);
  expect(status(other, "other")).toBe("success");
  expect(chain.deploys).toHaveLength(2);
});

test("the limit ends at midnight UTC", async () => {
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  insertToken(temp, "DONE");
  const late = insertLaunch(temp, "LATE");
  await started();
  expect(status(late)).toBe("rate_limited");
  temp.clock.advance(1);
  const early = insertLaunch(temp, "EARLY");
  await woken();
  await deployed(0);
  expect(status(early)).toBe("success");
  temp.store.launches.retry("agent", late, { address: null, now: temp.clock.now() });
  await woken();
  expect(status(late)).toBe("rate_limited");
  expect(chain.tickers).toEqual(["EARLY"]);
});

test("a failed launch uses up nothing", async () => {
  insertLaunch(temp, "ONE");
  const two = insertLaunch(temp, "TWO");
  await started();
  await refused(0, new LaunchRefusedError("no"));
  await deployed(1);
  expect(status(two)).toBe("success");
});

test("one that is signed anew after midnight uses up the new day", async () => {
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  const one = insertLaunch(temp, "ONE");
  const two = insertLaunch(temp, "TWO");
  await started();
  chain.call(0).journal.record(newAttempt("ONE"));
  await refused(0, new ChainUnavailableError("expired"));
  temp.clock.advance(60_000);
  await woken();
  await deployed(1);
  expect([status(one), status(two)]).toEqual(["success", "rate_limited"]);
});

test("one that was in hand at midnight uses up the day in which it was signed", async () => {
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  insertLaunch(temp, "ONE");
  const two = insertLaunch(temp, "TWO");
  await started();
  chain.call(0).journal.record(newAttempt("ONE"));
  temp.clock.advance(1);
  chain.call(0).resolve(newAttempt("ONE"));
  await turns();
  await deployed(1);
  expect(status(two)).toBe("success");
});

test("a clock that steps back over midnight gives nobody a second token of a day", async () => {
  temp.clock.set(Date.UTC(2026, 2, 2));
  insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const two = insertLaunch(temp, "TWO");
  const three = insertLaunch(temp, "THREE");
  await started();
  temp.clock.advance(1);
  const { journal } = chain.call(0);
  expect(() => journal.record(newAttempt("TWO"))).toThrow(DayUsedError);
  await refused(0, new DayUsedError());
  expect([status(two), status(three)]).toEqual(["rate_limited", "rate_limited"]);
  expect(temp.store.launches.find("agent", two)?.error).toContain("already launched");
  expect(chain.tickers).toEqual(["TWO"]);
});

test("what may have landed is settled, though the clock went round midnight", async () => {
  temp.clock.set(Date.UTC(2026, 2, 2));
  insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const one = insertLaunch(temp, "ONE");
  await started();
  chain.call(0).journal.record(newAttempt("ONE"));
  await refused(0, new ChainUnavailableError("No answer"));
  temp.clock.advance(60_000);
  await woken();
  expect(status(one)).toBe("pending");
  chain.call(1).resolve(newAttempt("ONE"));
  await turns();
  expect(status(one)).toBe("success");
});
