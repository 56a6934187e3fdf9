import { expect, test } from "bun:test";
import { ChainUnavailableError } from "../launchpad/errors.ts";
import { insertLaunch, newAttempt } from "../testing/launches.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("the next try of a launch gets the attempt of the last one, byte for byte", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  insertLaunch(temp, "ONE");
  await worker.start();
  const attempt = newAttempt("ONE");
  chain.call(0).journal.record(attempt);
  await worker.reject(0, new ChainUnavailableError("No answer"));
  temp.clock.advance(1_000);
  await worker.wake();
  const { latest } = chain.call(1).journal;
  expect(latest).toEqual({ ...attempt, transaction: Buffer.from(attempt.transaction) });
});
