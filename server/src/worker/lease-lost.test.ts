import { expect, test } from "bun:test";
import { LeaseLostError } from "../domain/journal.ts";
import { newAttempt, WHOLE_LIST } from "../store/testing/rows.ts";
import { insertLaunch } from "../testing/launches.ts";
import { TestWorker } from "./testing/test-worker.ts";

/** Inserts a launch whose first worker freezes, and which a second one takes over. */
async function takenOver(worker: TestWorker): Promise<string> {
  const eventId = await insertLaunch(worker.temp, "ONE");
  await worker.wake();
  worker.temp.clock.advance(60_000);
  await worker.wake(worker.addWorker());
  expect(worker.chain.tickers).toEqual(["ONE", "ONE"]);
  return eventId;
}

test("a worker whose lease ran out signs nothing and records nothing", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await takenOver(worker);
  const { journal } = chain.call(0);
  await expect(journal.record(newAttempt("ZOMBIE"))).rejects.toThrow(LeaseLostError);
  await worker.resolve(0, "ZOMBIE");
  expect(await worker.status(eventId)).toBe("pending");
  expect((await temp.store.tokens.page("agent", WHOLE_LIST)).rows).toEqual([]);
  await worker.deploy(1);
  expect(await worker.status(eventId)).toBe("success");
  expect((await temp.store.tokens.page("agent", WHOLE_LIST)).rows).toMatchObject([
    { tokenMint: "mint-ONE" },
  ]);
});
