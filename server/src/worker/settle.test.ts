import { expect, test } from "bun:test";
import { ChainUnavailableError, LaunchRefusedError } from "../launchpad/errors.ts";
import { insertLaunch } from "../testing/launches.ts";
import { LeaseLostError } from "./lease-lost.ts";
import { AlreadyLaunchedTodayError } from "./limit.ts";
import { TestWorker } from "./testing/test-worker.ts";

test.each([
  ["LaunchRefusedError", "failed", new LaunchRefusedError("no")],
  ["AlreadyLaunchedTodayError", "rate_limited", new AlreadyLaunchedTodayError()],
  ["LeaseLostError", "pending", new LeaseLostError()],
  ["ChainUnavailableError", "pending", new ChainUnavailableError("No answer")],
  ["TypeError", "pending", new TypeError("undefined is not a function")],
] as const)("a launch whose deployment throws a %s is %s", async (_, status, error) => {
  await using worker = new TestWorker();
  const eventId = insertLaunch(worker.temp, "ONE");
  const other = insertLaunch(worker.temp, "OTHER", { wallet: "other" });
  await worker.start();
  await worker.reject(0, error);
  expect(worker.status(eventId)).toBe(status);
  expect(worker.status(other, "other")).toBe("pending");
});
