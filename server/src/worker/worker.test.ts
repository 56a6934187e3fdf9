import { expect, spyOn, test } from "bun:test";
import { LeaseLostError, StartRefusedError } from "../domain/journal.ts";
import {
  ChainUnavailableError,
  DailyBudgetSpentError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import { newAttempt } from "../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../testing/launches.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { turns } from "../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { outage, TestWorker } from "./testing/test-worker.ts";
import { BackOff, leaseNext } from "./worker.ts";

test("it deploys as many launches at a time as the concurrency says", async () => {
  await using worker = new TestWorker(2);
  for (const name of ["A1", "B2", "C3"]) await insertLaunch(worker.temp, name, { wallet: name });
  await worker.start();
  expect(worker.chain.tickers).toEqual(["A1", "B2"]);
  await worker.deploy(1);
  expect(worker.chain.tickers).toEqual(["A1", "B2", "C3"]);
});

test("it renews a lease while it works on the launch", async () => {
  await using worker = new TestWorker();
  await insertLaunch(worker.temp, "ONE");
  await worker.wake();
  for (let seconds = 0; seconds < 150; seconds += 5) {
    worker.temp.clock.advance(5_000);
    await turns();
  }
  expect(worker.chain.tickers).toEqual(["ONE"]);
});

test("stopping waits for the launch in progress, and takes no other", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  await insertLaunch(temp, "TWO", { wallet: "other" });
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  await worker.wake();
  expect(chain.call(0).signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  await worker.resolve(0);
  await stopping;
  expect(await worker.status(eventId)).toBe("success");
  expect(chain.tickers).toEqual(["ONE"]);
});

test("the next start takes up at once what a killed process held", async () => {
  await using worker = new TestWorker();
  await insertLaunch(worker.temp, "ONE");
  await worker.start();
  await worker.start(worker.addWorker());
  expect(worker.chain.tickers).toEqual(["ONE", "ONE"]);
});

test("a stop waits for a lease under way, and gives its launch back", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  await insertLaunch(temp, "ONE");
  const goOn = Promise.withResolvers<void>();
  const { launches } = temp.store;
  const lease = launches.lease.bind(launches);
  spyOn(launches, "lease").mockImplementationOnce(async (...values) => {
    await goOn.promise;
    return lease(...values);
  });
  await worker.start();
  const stopping = worker.stop();
  await turns();
  expect(Bun.peek.status(stopping)).toBe("pending");
  goOn.resolve();
  await stopping;
  expect(chain.deploys).toHaveLength(0);
  await worker.start(worker.addWorker());
  expect(chain.tickers).toEqual(["ONE"]);
});

test("an idle worker reads a shared queue every three seconds, and its own every second", async () => {
  await using worker = new TestWorker();
  const { store, clock } = worker.temp;
  const reads = spyOn(store.launches, "lease");
  for (const [isShared, expected] of [
    [true, 4],
    [false, 12],
  ] as const) {
    const idle = worker.addWorker({ ...store, isShared });
    await worker.start(idle);
    reads.mockClear();
    for (let seconds = 0; seconds < 12; seconds++) {
      clock.advance(1_000);
      await turns();
    }
    expect(reads).toHaveBeenCalledTimes(expected);
    await idle.stop();
  }
});

test("while launches are paused starts none, and none whose transaction ended without a token", async () => {
  await using worker = new TestWorker();
  const eventId = await insertLaunch(worker.temp, "WAITS");
  worker.isPaused = true;
  await worker.start();
  expect(worker.chain.tickers).toEqual([]);
  worker.isPaused = false;
  await worker.wake();
  expect(worker.chain.tickers).toEqual(["WAITS"]);
  await worker.chain.call(0).journal.record(newAttempt("WAITS"));
  worker.isPaused = true;
  await worker.reject(0, new StartRefusedError("paused"));
  worker.temp.clock.advance(5_000);
  await worker.wake();
  expect(worker.chain.tickers).toEqual(["WAITS"]);
  expect(await worker.find(eventId)).toMatchObject({ wait: { reason: "queue" } });
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
  await expect(journal.record(newAttempt("ONE"))).rejects.toThrow("launched_today");
  expect(await temp.store.launches.spentToday()).toBe(0n);
});

function block({ store }: TempStore): Promise<boolean> {
  const change = { actor: "ops", action: "block", subject: null, detail: null, reason: null };
  return store.operator.setRule("agent", { list: "blocked", isOn: true }, change);
}

test("the launches of a blocked agent end failed before they cost anything, and others are leased", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const blocked = [await insertLaunch(temp, "ONE"), await insertLaunch(temp, "TWO")];
  const other = await insertLaunch(temp, "OTHER", { wallet: "other" });
  await block(temp);
  expect(await leaseNext(launches)).toBe("ended");
  for (const eventId of blocked) {
    expect(await launches.find("agent", eventId)).toMatchObject({
      status: "failed",
      error: "The service's operator has blocked the wallet",
    });
  }
  expect(await leaseNext(launches)).toMatchObject({
    launch: { eventId: other },
  });
});

test("what was set aside for a launch that nothing was signed for goes back when it ends without a token", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const eventId = await insertLaunch(temp, "ONE");
  await launches.lease("crashed", 60_000);
  const wallet = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: 100n };
  await launches.reserve(eventId, "crashed", { ...wallet, lamports: 70n });
  await launches.recover();
  await block(temp);
  expect(await leaseNext(launches)).toBe("ended");
  expect(await launches.spentToday()).toBe(0n);
});

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

test.each([
  ["LaunchRefusedError", "failed", new LaunchRefusedError("no")],
  ["launched_today", "rate_limited", new StartRefusedError("launched_today")],
  ["another_undecided", "pending", new StartRefusedError("another_undecided")],
  ["LeaseLostError", "pending", new LeaseLostError()],
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
  ["succeeds", null],
  ["the chain refuses", new LaunchRefusedError("no")],
  ["its agent's day rules out", new StartRefusedError("launched_today")],
  ["another of its agent's puts off", new StartRefusedError("another_undecided")],
])("after an outage launches are tried one at a time, until one that %s", async (_, answer) => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  for (const name of ["A1", "B2", "C3"]) await insertLaunch(temp, name, { wallet: name });
  await worker.start();
  for (const index of [0, 1, 2]) await worker.reject(index, outage());
  await worker.wake();
  expect(chain.deploys).toHaveLength(3);
  temp.clock.advance(1_000);
  await worker.wake();
  expect(chain.deploys).toHaveLength(4);
  await (answer === null ? worker.deploy(3) : worker.reject(3, answer));
  expect(chain.deploys).toHaveLength(6);
});

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

test("a worker that stops gives its launch back, and the next start goes on with its attempt, byte for byte", async () => {
  await using worker = new TestWorker();
  const { temp, chain } = worker;
  const eventId = await insertLaunch(temp, "ONE");
  await worker.start();
  const { terms, ...attempt } = newAttempt("ONE");
  await chain.call(0).journal.record({ ...attempt, terms });
  const stopping = worker.stop();
  chain.call(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
  expect(await worker.status(eventId)).toBe("pending");
  await worker.start(worker.addWorker());
  const { latest } = chain.call(1).journal;
  expect(latest).toEqual({ ...attempt, transaction: Buffer.from(attempt.transaction) });
});

test("pauses grow from 1 s to 15 s for the reason of the last launch, until a launch succeeds", () => {
  const clock = new ManualClock();
  const backOff = new BackOff(clock);
  expect(backOff).toMatchObject({ remaining: 0, trouble: null });
  const since = clock.now();
  const pauses: number[] = [];
  for (let round = 0; round < 6; round++) {
    expect(backOff.begin("chain_unavailable")).toBe(backOff.remaining);
    pauses.push(backOff.remaining);
    clock.advance(backOff.remaining - 1);
    expect(backOff.remaining).toBe(1);
    clock.advance(1);
    expect(backOff).toMatchObject({
      remaining: 0,
      trouble: { reason: "chain_unavailable", since },
    });
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  const trouble = { reason: "launch_wallet_short", since: clock.now() } as const;
  backOff.begin(trouble.reason);
  expect(backOff.trouble).toEqual(trouble);
  backOff.end();
  expect(backOff).toMatchObject({ remaining: 0, trouble: null });
  expect(backOff.begin("chain_unavailable")).toBe(1_000);
});

test("launches that fail side by side make one pause, which a clock that steps back does not stretch", () => {
  const clock = new ManualClock();
  const backOff = new BackOff(clock);
  expect(backOff.begin("chain_unavailable")).toBe(1_000);
  clock.advance(-3_600_000);
  expect(backOff.remaining).toBe(1_000);
  clock.advance(400);
  expect(backOff.begin("chain_unavailable")).toBe(600);
  clock.advance(600);
  expect(backOff.remaining).toBe(0);
});
