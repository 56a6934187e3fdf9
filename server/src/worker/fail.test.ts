import { expect, test } from "bun:test";
import { LaunchRefusedError } from "../launchpad/errors.ts";
import { insertLaunch } from "../testing/launches.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("a launch that the chain refuses fails, and its agent reads why", async () => {
  await using worker = new TestWorker();
  const { temp } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  await worker.reject(0, new LaunchRefusedError("The chain refused the launch"));
  expect(await worker.find(eventId)).toMatchObject({
    status: "failed",
    processedAt: temp.clock.now(),
    error: "The chain refused the launch",
  });
});
