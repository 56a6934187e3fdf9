import { expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { insertLaunch } from "../testing/launches.ts";
import { tempStore } from "../testing/temp-store.ts";
import { WaitLimit } from "./wait-limit.ts";

const HOUR_MS = 3_600_000;

test("time in which no launch could be signed, and in which no server looked, does not count", async () => {
  using temp = tempStore();
  let isAble = true;
  const limitOf = () =>
    new WaitLimit(temp.store, {
      maxWaitMs: 2 * HOUR_MS,
      isAble: () => isAble,
      log: createLog("silent"),
    });
  let limit = limitOf();
  const after = async (hours: number) => {
    temp.clock.advance(hours * HOUR_MS);
    return await limit.look();
  };
  const eventId = await insertLaunch(temp, "ONE");
  expect(await after(1)).toBe(0);
  expect(await after(1)).toBe(0);
  isAble = false;
  expect(await after(1)).toBe(0);
  expect(await after(50)).toBe(0);
  isAble = true;
  expect(await after(1)).toBe(0);
  // A restart after days without a check.
  limit = limitOf();
  expect(await after(90)).toBe(0);
  expect(await after(0.99)).toBe(0);
  expect(await after(0.01)).toBe(1);
  expect(await temp.store.launches.find("agent", eventId)).toMatchObject({
    status: "failed",
    error: "No transaction was signed for it within 2 hours",
  });
  expect(await after(1)).toBe(0);
});
