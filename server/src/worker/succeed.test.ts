import { expect, test } from "bun:test";
import { insertLaunch } from "../testing/launches.ts";
import { TestWorker } from "./testing/test-worker.ts";

test("a launch that is on chain succeeds, and its token is recorded", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE", { description: "text" });
  await worker.start();
  expect(chain.call(0).order).toMatchObject({
    eventId,
    wallet: "agent",
    name: "ONE token",
    ticker: "ONE",
  });
  expect(chain.call(0).journal.latest).toBeNull();
  expect(await worker.status(eventId)).toBe("pending");
  await worker.deploy(0);
  expect(await worker.status(eventId)).toBe("success");
  expect((await temp.store.tokens.find("agent", "mint-ONE"))?.eventId).toBe(eventId);
  expect((await temp.store.launches.backlog()).depth).toBe(0);
});
