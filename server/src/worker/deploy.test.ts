import { expect, test } from "bun:test";
import { AlreadyLaunchedTodayError } from "../domain/journal.ts";
import { ChainUnavailableError } from "../launchpad/errors.ts";
import { newAttempt } from "../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../testing/launches.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("the next try of a launch gets the attempt of the last one, byte for byte", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  await insertLaunch(temp, "ONE");
  await worker.start();
  const { terms, ...attempt } = newAttempt("ONE");
  await chain.call(0).journal.record({ ...attempt, terms });
  await worker.reject(0, new ChainUnavailableError("No answer"));
  temp.clock.advance(1_000);
  await worker.wake();
  const { latest } = chain.call(1).journal;
  expect(latest).toEqual({ ...attempt, transaction: Buffer.from(attempt.transaction) });
});

const COST = {
  lamports: 100n,
  walletLamports: 1_000n,
  minWalletLamports: 0n,
  maxDailyLamports: 150n,
};

test("an attempt that its agent's day refuses leaves nothing set aside", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  temp.clock.set(Date.UTC(2026, 2, 2));
  await insertToken(temp, "DONE");
  temp.clock.advance(-1);
  await insertLaunch(temp, "ONE");
  await worker.start();
  temp.clock.advance(1);
  const { journal } = chain.call(0);
  await journal.reserve(COST);
  await expect(journal.record(newAttempt("ONE"))).rejects.toThrow(AlreadyLaunchedTodayError);
  expect(await temp.store.launches.spentToday()).toBe(0n);
});
