import { expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import type { LaunchOrder } from "../domain/launch.ts";
import type { DatabaseProblem } from "../store/store.ts";
import { newAttempt } from "../store/testing/rows.ts";
import { handOutLaunch, insertLaunch, submit } from "../testing/launches.ts";
import { turns } from "../testing/scripted-launchpad.ts";
import { tempStore } from "../testing/temp-store.ts";
import { signingDeadlines, waitLimit } from "./wait-limit.ts";

const HOUR_MS = 3_600_000;

type Temp = ReturnType<typeof tempStore>;

async function waiting(temp: Temp, isAble: () => boolean, own = {}) {
  const { clock, store } = temp;
  const options = { maxWaitMs: 2 * HOUR_MS, isAble, log: createLog("silent") };
  const limit = waitLimit({ ...store, ...own }, options);
  const eventId = await insertLaunch(temp, "ONE");
  const after = async (hours: number) => {
    clock.advance(hours * HOUR_MS);
    await turns();
    return (await store.launches.find("agent", eventId))?.status;
  };
  return { limit, eventId, after };
}

test("a launch that waits too long ends once launches could be signed for an hour", async () => {
  using temp = tempStore();
  const { store } = temp;
  let isAble = false;
  const { limit, eventId, after } = await waiting(temp, () => isAble);
  limit.start();
  expect(await after(50)).toBe("pending");
  isAble = true;
  expect([await after(1), await after(0.9)]).toEqual(["pending", "pending"]);
  isAble = false;
  expect(await after(1)).toBe("pending");
  isAble = true;
  expect([await after(1), await after(1)]).toEqual(["pending", "failed"]);
  expect(await store.launches.find("agent", eventId)).toMatchObject({
    error: "No transaction was signed for it within 2 hours",
  });
  const second = await insertLaunch(temp, "TWO", { wallet: "other" });
  expect(await after(1.9)).toBe("failed");
  expect((await store.launches.find("other", second))?.status).toBe("pending");
  await limit.stop();
});

test("a clock that jumps ahead ends no launch for an hour, in which it may be set back", async () => {
  using temp = tempStore();
  const { clock, store } = temp;
  const options = { maxWaitMs: 2 * HOUR_MS, isAble: () => true, log: createLog("silent") };
  const limit = waitLimit(store, options);
  const eventId = await insertLaunch(temp, "ONE");
  const after = async (minutes: number) => {
    for (let n = 0; n < minutes; n++) {
      clock.advance(60_000);
      await turns();
    }
    return (await store.launches.find("agent", eventId))?.status;
  };
  limit.start();
  expect(await after(100)).toBe("pending");
  clock.set(clock.now() + 24 * HOUR_MS);
  expect(await after(59)).toBe("pending");
  clock.set(clock.now() - 24 * HOUR_MS);
  expect(await after(60)).toBe("pending");
  expect(await after(2)).toBe("failed");
  await limit.stop();
});

test("a launch is not ended for the time in which the database took no writes", async () => {
  using temp = tempStore();
  let problem: DatabaseProblem | null = null;
  const own = { findProblem: async () => problem };
  const { limit, after } = await waiting(temp, () => true, own);
  limit.start();
  expect(await after(1)).toBe("pending");
  problem = { text: "away", cause: null };
  expect(await after(50)).toBe("pending");
  problem = null;
  expect([await after(1), await after(0.9)]).toEqual(["pending", "pending"]);
  expect(await after(0.2)).toBe("failed");
  await limit.stop();
});

const WITHIN_MS = 300_000;

test("launches end at their deadline, with the token if they are on chain, also if a transaction expires later", async () => {
  using temp = tempStore();
  const { clock, store } = temp;
  const { launches } = store;
  const findLaunched = async ({ ticker }: LaunchOrder) =>
    ticker === "FORGOTTEN" ? newAttempt(ticker) : null;
  const deadlines = signingDeadlines(store, WITHIN_MS, { findLaunched, log: createLog("silent") });
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await turns();
  };
  const accepted = async (wallet: string) =>
    (await handOutLaunch(temp, wallet, { wallet })).eventId;
  const statusOf = async (wallet: string, eventId: string) =>
    (await launches.find(wallet, eventId))?.status;
  deadlines.start();
  await turns();
  await pass(1_000);
  const unsigned = await accepted("UNSIGNED");
  const forgotten = await accepted("FORGOTTEN");
  const signed = await handOutLaunch(temp, "SIGNED");
  await submit(temp, signed);
  await pass(WITHIN_MS - 1);
  expect(await statusOf("UNSIGNED", unsigned)).toBe("pending");
  // It looks at most once a second.
  await pass(1_000);
  expect(await launches.find("UNSIGNED", unsigned)).toMatchObject({
    ...{ status: "failed", error: "Its agent did not sign it in time" },
  });
  expect(await statusOf("FORGOTTEN", forgotten)).toBe("success");
  expect(await statusOf("agent", signed.eventId)).toBe("pending");
  await pass(1_000);
  await launches.unsign(signed.eventId, { id: signed.id, leaseId: "holder" });
  await pass(1_000);
  expect(await statusOf("agent", signed.eventId)).toBe("failed");
  await deadlines.stop();
});
