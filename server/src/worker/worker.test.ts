import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import {
  ChainUnavailableError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import { insertLaunch, newAttempt } from "../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { Worker } from "./worker.ts";

let temp: TempStore;
let chain: ScriptedLaunchpad;
let worker: Worker;
beforeEach(() => {
  temp = tempStore();
  chain = new ScriptedLaunchpad();
  worker = newWorker();
});
afterEach(async () => {
  for (const call of chain.deploys) call.reject(new Error("the test is over"));
  await worker.stop();
  temp[Symbol.dispose]();
});

function newWorker(concurrency = 4): Worker {
  const { store, clock } = temp;
  const log = createLog("silent");
  return new Worker({ store: store.launches, launchpad: chain, clock, log, concurrency });
}

async function started(): Promise<void> {
  worker.start();
  await turns();
}

async function woken(): Promise<void> {
  worker.wake();
  await turns();
}

/** The n-th deployment goes well. */
async function deployed(index: number): Promise<void> {
  const { order, journal, resolve } = chain.call(index);
  const attempt = newAttempt(order.ticker);
  journal.record(attempt);
  resolve(attempt);
  await turns();
}

async function refused(index: number, fault: unknown): Promise<void> {
  chain.call(index).reject(fault);
  await turns();
}

const status = (eventId: string, wallet = "agent") =>
  temp.store.launches.find(wallet, eventId)?.status;

test("a launch is deployed, and its token recorded", async () => {
  const eventId = insertLaunch(temp, "ONE", { description: "text" });
  await started();
  expect(chain.call(0).order).toMatchObject({
    eventId,
    wallet: "agent",
    name: "ONE token",
    ticker: "ONE",
  });
  expect(chain.call(0).journal.latest).toBeNull();
  expect(status(eventId)).toBe("pending");
  await deployed(0);
  expect(status(eventId)).toBe("success");
  expect(temp.store.tokens.find("agent", "mint-ONE")?.eventId).toBe(eventId);
  expect(temp.store.launches.backlog().depth).toBe(0);
});

test("a refusal of the chain ends the launch, in words", async () => {
  const eventId = insertLaunch(temp, "ONE");
  await started();
  await refused(0, new LaunchRefusedError("The chain refused the launch"));
  expect(temp.store.launches.find("agent", eventId)).toMatchObject({
    status: "failed",
    processedAt: temp.clock.now(),
    error: "The chain refused the launch",
  });
});

test.each([
  ["the chain is away", new ChainUnavailableError("No answer")],
  ["the wallet is dry", new LaunchWalletError("Short of SOL")],
  ["anything unforeseen", new TypeError("undefined is not a function")],
  ["what is no error", "boom"],
])("%s leaves the launch pending, to be tried again", async (_, fault) => {
  const eventId = insertLaunch(temp, "ONE");
  await started();
  await refused(0, fault);
  expect(temp.store.launches.find("agent", eventId)).toMatchObject({
    status: "pending",
    processedAt: null,
    error: null,
  });
  temp.clock.advance(999);
  await woken();
  expect(chain.deploys).toHaveLength(1);
  temp.clock.advance(1);
  await woken();
  await deployed(1);
  expect(status(eventId)).toBe("success");
});

test("the attempt of an earlier try is known to the next, to the byte", async () => {
  insertLaunch(temp, "ONE");
  await started();
  const attempt = newAttempt("ONE");
  chain.call(0).journal.record(attempt);
  await refused(0, new ChainUnavailableError("No answer"));
  temp.clock.advance(1_000);
  await woken();
  const { latest } = chain.call(1).journal;
  expect(latest).toEqual({ ...attempt, transaction: Buffer.from(attempt.transaction) });
});

describe("side by side", () => {
  test("as many as the concurrency says, and the next as soon as there is room", async () => {
    worker = newWorker(2);
    for (const name of ["A1", "B2", "C3"]) insertLaunch(temp, name, { wallet: name });
    await started();
    expect(chain.tickers).toEqual(["A1", "B2"]);
    await deployed(1);
    expect(chain.tickers).toEqual(["A1", "B2", "C3"]);
  });

  test("one at a time after trouble, until one has gone well", async () => {
    for (const name of ["A1", "B2", "C3"]) insertLaunch(temp, name, { wallet: name });
    await started();
    expect(chain.deploys).toHaveLength(3);
    for (const index of [0, 1, 2]) await refused(index, new ChainUnavailableError("No answer"));
    await woken();
    expect(chain.deploys).toHaveLength(3);
    temp.clock.advance(1_000);
    await woken();
    expect(chain.deploys).toHaveLength(4);
    await deployed(3);
    expect(chain.deploys).toHaveLength(6);
  });

  test("nobody's launch is taken while the chain is away", async () => {
    insertLaunch(temp, "ONE");
    await started();
    await refused(0, new ChainUnavailableError("No answer"));
    insertLaunch(temp, "TWO", { wallet: "other" });
    await woken();
    expect(chain.tickers).toEqual(["ONE"]);
    temp.clock.advance(1_000);
    await woken();
    expect(chain.tickers).toEqual(["ONE", "TWO"]);
  });

  test("what was stored while it worked is taken", async () => {
    await started();
    insertLaunch(temp, "ONE");
    await woken();
    expect(chain.tickers).toEqual(["ONE"]);
  });
});
