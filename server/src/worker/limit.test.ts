import { expect, test } from "bun:test";
import { ChainUnavailableError, LaunchRefusedError } from "../launchpad/errors.ts";
import { insertLaunch, insertToken, newAttempt } from "../testing/launches.ts";
import { AlreadyLaunchedTodayError } from "./limit.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("of 20 launches of one agent one is deployed and 19 are rate_limited", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const ids = Array.from({ length: 20 }, (_, n) => insertLaunch(temp, `T${n}`));
  const other = insertLaunch(temp, "OTHER", { wallet: "other" });
  await worker.start();
  expect(chain.tickers).toEqual(["T0", "OTHER"]);
  await worker.deploy(0);
  await worker.deploy(1);
  expect(ids.map((id) => worker.status(id))).toEqual([
    "success",
    ...Array(19).fill("rate_limited"),
  ]);
  expect(worker.status(other, "other")).toBe("success");
  expect(chain.deploys).toHaveLength(2);
});

test("the limit ends at midnight UTC", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  insertToken(temp, "DONE");
  const late = insertLaunch(temp, "LATE");
  await worker.start();
  expect(worker.status(late)).toBe("rate_limited");
  temp.clock.advance(1);
  const early = insertLaunch(temp, "EARLY");
  await worker.wake();
  await worker.deploy(0);
  expect(worker.status(early)).toBe("success");
  temp.store.launches.retry("agent", late, { address: null, now: temp.clock.now() });
  await worker.wake();
  expect(worker.status(late)).toBe("rate_limited");
  expect(chain.tickers).toEqual(["EARLY"]);
});

test("a failed launch does not use up its agent's day", async () => {
  await using worker = new TestWorker();
  const { temp } = worker;
  insertLaunch(temp, "ONE");
  const two = insertLaunch(temp, "TWO");
  await worker.start();
  await worker.reject(0, new LaunchRefusedError("no"));
  await worker.deploy(1);
  expect(worker.status(two)).toBe("success");
});

test("a launch that is signed again after midnight uses up the new day", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  const one = insertLaunch(temp, "ONE");
  const two = insertLaunch(temp, "TWO");
  await worker.start();
  chain.call(0).journal.record(newAttempt("ONE"));
  await worker.reject(0, new ChainUnavailableError("expired"));
  temp.clock.advance(60_000);
  await worker.wake();
  await worker.deploy(1);
  expect([worker.status(one), worker.status(two)]).toEqual(["success", "rate_limited"]);
});

test("a launch in progress at midnight uses up the day in which it was signed", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  insertLaunch(temp, "ONE");
  const two = insertLaunch(temp, "TWO");
  await worker.start();
  chain.call(0).journal.record(newAttempt("ONE"));
  temp.clock.advance(1);
  await worker.resolve(0);
  await worker.deploy(1);
  expect(worker.status(two)).toBe("success");
});

test("a clock that steps back over midnight gives no agent a second token of a day", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2));
  insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const two = insertLaunch(temp, "TWO");
  const three = insertLaunch(temp, "THREE");
  await worker.start();
  temp.clock.advance(1);
  const { journal } = chain.call(0);
  expect(() => journal.record(newAttempt("TWO"))).toThrow(AlreadyLaunchedTodayError);
  await worker.reject(0, new AlreadyLaunchedTodayError());
  expect([worker.status(two), worker.status(three)]).toEqual(["rate_limited", "rate_limited"]);
  expect(worker.find(two)?.error).toContain("already launched");
  expect(chain.tickers).toEqual(["TWO"]);
});

test("a launch that may have landed is settled, although the clock went back and forth over midnight", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2));
  insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const one = insertLaunch(temp, "ONE");
  await worker.start();
  chain.call(0).journal.record(newAttempt("ONE"));
  await worker.reject(0, new ChainUnavailableError("No answer"));
  temp.clock.advance(60_000);
  await worker.wake();
  expect(worker.status(one)).toBe("pending");
  await worker.resolve(1);
  expect(worker.status(one)).toBe("success");
});
