import { expect, test } from "bun:test";
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
