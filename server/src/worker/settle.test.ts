import { expect, test } from "bun:test";
import {
  AlreadyLaunchedTodayError,
  AnotherUndecidedError,
  LeaseLostError,
} from "../domain/journal.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../launchpad/errors.ts";
import { insertLaunch } from "../testing/launches.ts";
import { outage, TestWorker } from "./testing/test-worker.ts";

test("a launch that is on chain succeeds, and its token is recorded", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  expect(chain.call(0).order).toMatchObject({ eventId, wallet: "agent", ticker: "ONE" });
  expect(chain.call(0).journal.latest).toBeNull();
  await worker.deploy(0);
  expect(await worker.status(eventId)).toBe("success");
  expect((await temp.store.tokens.find("agent", "mint-ONE"))?.eventId).toBe(eventId);
});

test.each([
  ["LaunchRefusedError", "failed", new LaunchRefusedError("no")],
  ["AlreadyLaunchedTodayError", "rate_limited", new AlreadyLaunchedTodayError()],
  ["AnotherUndecidedError", "pending", new AnotherUndecidedError()],
  ["LeaseLostError", "pending", new LeaseLostError()],
  ["ChainUnavailableError", "pending", new ChainUnavailableError("No answer")],
  ["TypeError", "pending", new TypeError("undefined is not a function")],
] as const)("a launch whose deployment throws a %s is %s", async (_, status, error) => {
  await using worker = new TestWorker();
  const eventId = await insertLaunch(worker.temp, "ONE");
  const other = await insertLaunch(worker.temp, "OTHER", { wallet: "other" });
  await worker.start();
  await worker.reject(0, error);
  expect(await worker.status(eventId)).toBe(status);
  expect(await worker.status(other, "other")).toBe("pending");
});

test.each([
  ["the chain refuses", new LaunchRefusedError("no")],
  ["its agent's day rules out", new AlreadyLaunchedTodayError()],
  ["another of its agent's puts off", new AnotherUndecidedError()],
])("a launch that %s ends the back-off, because the chain answered", async (_, error) => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  for (const name of ["A1", "B2", "C3"]) await insertLaunch(temp, name, { wallet: name });
  await worker.start();
  for (const index of [0, 1, 2]) await worker.reject(index, outage());
  temp.clock.advance(1_000);
  await worker.wake();
  expect(chain.deploys).toHaveLength(4);
  await worker.reject(3, error);
  expect(chain.deploys).toHaveLength(6);
});
