import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { UNBOUNDED } from "../../domain/intake-limits.ts";
import { lease } from "../../testing/launches.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { LaunchService } from "./service.ts";

const ADDRESS = "192.0.2.7";
const WAITING = { name: "A token", ticker: "WAITING" };

/** Limits that the launches stored before each test have used up. */
const USED_UP = {
  maxOfAgent: 2,
  maxOfAddress: 2,
  shares: { address: 1, network: 1 },
  maxPending: 2,
  isSpent: true,
};
const NO_LIMIT = { ...UNBOUNDED, isSpent: false };

/** Each refusal by what causes it, in the order of the answers. */
const SHARED_ORDER = [
  ["maxOfAddress", errorCodes.address_launch_limit.text],
  ["shares", errorCodes.share_used.text],
  ["isSpent", errorCodes.daily_budget_spent.text],
  ["maxPending", errorCodes.queue_full.text],
] as const;
const LAUNCH_ORDER = [["maxOfAgent", errorCodes.agent_launch_limit.text], ...SHARED_ORDER] as const;

let temp: TempStore;
let failed: string;
beforeEach(async () => {
  temp = tempStore();
  const service = serviceWith({});
  failed = (await service.register("agent", { ...WAITING, ticker: "FAILED" }, { address: ADDRESS }))
    .eventId;
  await lease(temp, "lease");
  await temp.store.launches.fail(failed, "lease", { message: "refused" });
  await service.register("agent", WAITING, { idempotencyKey: "key", address: ADDRESS });
  await service.register("other", { ...WAITING, ticker: "THEIRS" });
});
afterEach(() => temp[Symbol.dispose]());

function serviceWith(change: Partial<typeof NO_LIMIT>): LaunchService {
  const { isSpent, ...limits } = { ...NO_LIMIT, maxOfAddress: 100, maxPending: 100, ...change };
  const budget = {
    dayBudget: () => (isSpent ? { maxDailyLamports: 0n, launchLamports: 1n } : null),
  };
  return new LaunchService(temp.store, () => {}, { limits, budget });
}

/** Limits that are used up from this place of the order on. */
function usedUpFrom(order: readonly (readonly [keyof typeof USED_UP, string])[], place: number) {
  return Object.fromEntries(order.slice(place).map(([limit]) => [limit, USED_UP[limit]]));
}

describe("of several reasons to refuse a launch", () => {
  test("none applies to a request that was accepted before under its key", async () => {
    const service = serviceWith(USED_UP);
    expect(
      await service.register("agent", WAITING, { idempotencyKey: "key", address: ADDRESS }),
    ).toMatchObject({
      success: true,
    });
  });

  test.each(LAUNCH_ORDER.map(([limit, text], place) => ({ limit, text, place })))(
    "$limit answers before those after it",
    async ({ text, place }) => {
      const service = serviceWith(usedUpFrom(LAUNCH_ORDER, place));
      await expect(service.register("agent", WAITING, { address: ADDRESS })).rejects.toThrow(text);
    },
  );

  test("a taken ticker answers last", async () => {
    const service = serviceWith({});
    await expect(service.register("agent", WAITING, { address: ADDRESS })).rejects.toThrow(
      "Ticker WAITING already exists",
    );
  });
});

describe("of several reasons to refuse a retry", () => {
  test("an unknown launch answers first", async () => {
    await expect(serviceWith(USED_UP).retry("agent", "unknown", ADDRESS)).rejects.toThrow(
      errorCodes.launch_not_found.text,
    );
  });

  test("a ticker that another launch has taken answers before every limit", async () => {
    const taker = serviceWith({ tickerHoldMs: 0 });
    await taker.register("other", { name: "A token", ticker: "FAILED" });
    await expect(serviceWith(USED_UP).retry("agent", failed, ADDRESS)).rejects.toThrow(
      "Ticker FAILED already exists",
    );
  });

  test.each(SHARED_ORDER.map(([limit, text], place) => ({ limit, text, place })))(
    "$limit answers before those after it",
    async ({ text, place }) => {
      const service = serviceWith(usedUpFrom(SHARED_ORDER, place));
      await expect(service.retry("agent", failed, ADDRESS)).rejects.toThrow(text);
    },
  );
});
