import { expect, test } from "bun:test";
import {
  ChainUnavailableError,
  DailyBudgetSpentError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import { newAttempt } from "../store/testing/rows.ts";
import { insertLaunch } from "../testing/launches.ts";
import { outage, TestWorker } from "./testing/test-worker.ts";

test.each([
  ["the chain is unavailable", "chain_unavailable", new ChainUnavailableError("No answer")],
  ["the launch wallet is short of SOL", "launch_wallet_short", new LaunchWalletError("Short")],
  ["the day's budget is spent", "daily_budget_spent", new DailyBudgetSpentError("Spent")],
  ["an unexpected error is thrown", "service_problem", new TypeError("undefined is no function")],
  ["something that is no error is thrown", "service_problem", "boom"],
] as const)("if %s, the launch waits for it as %s and is tried again", async (_, reason, error) => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  await worker.reject(0, error);
  expect(await worker.find(eventId)).toMatchObject({
    status: "pending",
    processedAt: null,
    error: null,
    wait: { reason, since: temp.clock.now() },
  });
  temp.clock.advance(999);
  await worker.wake();
  expect(chain.deploys).toHaveLength(1);
  temp.clock.advance(1);
  await worker.wake();
  await worker.deploy(1);
  expect(await worker.status(eventId)).toBe("success");
});

test("after an error launches are deployed one at a time, until one succeeds", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  for (const name of ["A1", "B2", "C3"]) await insertLaunch(temp, name, { wallet: name });
  await worker.start();
  expect(chain.deploys).toHaveLength(3);
  for (const index of [0, 1, 2]) await worker.reject(index, outage());
  await worker.wake();
  expect(chain.deploys).toHaveLength(3);
  temp.clock.advance(1_000);
  await worker.wake();
  expect(chain.deploys).toHaveLength(4);
  await worker.deploy(3);
  expect(chain.deploys).toHaveLength(6);
});

test.each([
  ["the node says about one transaction", new ChainUnavailableError("The node refuses it")],
  ["is not known", new TypeError("undefined is no function")],
])("what %s puts one launch off, longer each time, and no other", async (_, error) => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  for (const wallet of ["ONE", "TWO"]) await insertLaunch(temp, wallet, { wallet });
  await worker.start();
  await worker.reject(0, error);
  for (const wallet of ["THREE", "FOUR"]) await insertLaunch(temp, wallet, { wallet });
  await worker.wake();
  expect(chain.tickers).toEqual(["ONE", "TWO", "THREE", "FOUR"]);
  await worker.deploy(1);
  const counts = [];
  for (const delay of [999, 1, 1_999, 1, 3_999, 1]) {
    temp.clock.advance(delay);
    await worker.wake();
    counts.push(chain.tickers.length);
    if (delay === 1) await worker.reject(chain.tickers.length - 1, error);
  }
  expect(counts).toEqual([4, 5, 5, 6, 6, 7]);
});

test("a worker that stops gives its launch back, and the next start goes on with its attempt", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  await chain.call(0).journal.record(newAttempt("ONE"));
  const stopping = worker.stop();
  chain.call(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
  expect(await worker.status(eventId)).toBe("pending");
  await worker.start(worker.addWorker());
  expect(chain.call(1).journal.latest?.signature).toBe("signature-ONE");
});
