import { expect, test } from "bun:test";
import { AlreadyLaunchedTodayError } from "../domain/journal.ts";
import { ChainUnavailableError } from "../launchpad/errors.ts";
import { newAttempt } from "../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../testing/launches.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("of 20 launches of one agent one is deployed and 19 are rate_limited", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) ids.push(await insertLaunch(temp, `T${n}`));
  const other = await insertLaunch(temp, "OTHER", { wallet: "other" });
  await worker.start();
  expect(chain.tickers).toEqual(["T0", "OTHER"]);
  await worker.deploy(0);
  await worker.deploy(1);
  expect(await Promise.all(ids.map((id) => worker.status(id)))).toEqual([
    "success",
    ...Array(19).fill("rate_limited"),
  ]);
  expect(await worker.status(other, "other")).toBe("success");
  expect(chain.deploys).toHaveLength(2);
});

test("the limit ends at midnight UTC", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  await insertToken(temp, "DONE");
  const late = await insertLaunch(temp, "LATE");
  await worker.start();
  expect(await worker.status(late)).toBe("rate_limited");
  temp.clock.advance(1);
  const early = await insertLaunch(temp, "EARLY");
  await worker.wake();
  await worker.deploy(0);
  expect(await worker.status(early)).toBe("success");
  await temp.store.launches.retry({
    wallet: "agent",
    eventId: late,
    address: null,
    now: temp.clock.now(),
  });
  await worker.wake();
  expect(await worker.status(late)).toBe("rate_limited");
  expect(chain.tickers).toEqual(["EARLY"]);
});

test("a launch in progress at midnight uses up the day in which it was signed", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2) - 1);
  await insertLaunch(temp, "ONE");
  const two = await insertLaunch(temp, "TWO");
  await worker.start();
  await chain.call(0).journal.record(newAttempt("ONE"));
  temp.clock.advance(1);
  await worker.resolve(0);
  await worker.deploy(1);
  expect(await worker.status(two)).toBe("success");
});

test("a clock that steps back over midnight gives no agent a second token of a day", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2));
  await insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const two = await insertLaunch(temp, "TWO");
  const three = await insertLaunch(temp, "THREE");
  await worker.start();
  temp.clock.advance(1);
  const { journal } = chain.call(0);
  await expect(journal.record(newAttempt("TWO"))).rejects.toThrow(AlreadyLaunchedTodayError);
  await worker.reject(0, new AlreadyLaunchedTodayError());
  expect([await worker.status(two), await worker.status(three)]).toEqual([
    "rate_limited",
    "rate_limited",
  ]);
  expect((await worker.find(two))?.error).toContain("already launched");
  expect(chain.tickers).toEqual(["TWO"]);
});

test("a launch that may have landed is settled, although the clock went back and forth over midnight", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2));
  await insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const one = await insertLaunch(temp, "ONE");
  await worker.start();
  await chain.call(0).journal.record(newAttempt("ONE"));
  await worker.reject(0, new ChainUnavailableError("No answer"));
  temp.clock.advance(60_000);
  await worker.wake();
  expect(await worker.status(one)).toBe("pending");
  await worker.resolve(1);
  expect(await worker.status(one)).toBe("success");
});
