import { expect, test } from "bun:test";
import type { LaunchCost } from "../domain/intake-limits.ts";
import { LEASE_MS } from "../testing/launches.ts";
import type { TestStore } from "./testing/contract.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS, START } from "./testing/engines.ts";
import { newAttempt } from "./testing/rows.ts";

const LAST_MS_OF_DAY = Date.UTC(2026, 2, 2) - 1;
const CHANGE = { actor: "ops", action: "pause", subject: null, detail: null, reason: null };
/** What another wallet's launch set aside on the same day, before each test. */
const OTHERS = 7n;

function stepsOn(at: TestStore) {
  /** @returns the outcome, and what others have reserved or what the day has spent */
  const reserve = async (leaseId: string, lamports: bigint, other: Partial<LaunchCost> = {}) => {
    const cost = { leaseId, walletLamports: 10n ** 18n, ...other };
    const { kind, ...sums } = await at.reserve(leaseId, lamports, cost);
    return [kind, ...Object.values(sums)];
  };
  const settle = (eventId: string, spent: bigint) => at.launches.settle(eventId, eventId, spent);
  const take = async (ticker: string) => {
    const eventId = crypto.randomUUID();
    await at.take(ticker, eventId, { wallet: ticker, eventId });
    return eventId;
  };
  const spent = () => at.launches.spentToday();
  return { reserve, settle, take, spent };
}

describeStore(
  "reservations",
  (at) => {
    const { reserve, settle, take, spent } = stepsOn(at);

    test("a day's sum holds what launches set aside, exactly beyond what a double or 64 bits hold", async () => {
      expect(await spent()).toBe(OTHERS);
      const one = await take("ONE");
      expect(await reserve(one, 2n ** 53n + 2n)).toEqual(["reserved", OTHERS]);
      expect(await spent()).toBe(OTHERS + 2n ** 53n + 2n);
      const two = await take("TWO");
      expect(await reserve(two, 1n, { walletLamports: 2n ** 53n })).toEqual([
        "wallet_short",
        OTHERS + 2n ** 53n + 2n,
      ]);
      await at.launches.fail(one, one, { message: "refused" });
      const walletLamports = 2n ** 70n;
      expect(await reserve(two, 2n ** 64n, { walletLamports })).toEqual(["reserved", OTHERS]);
      expect(await spent()).toBe(OTHERS + 2n ** 53n + 2n + 2n ** 64n);
    });

    test("to settle puts what a launch took in place of what it set aside, once; a pause lets none set more aside", async () => {
      const [one, two] = [await take("ONE"), await take("TWO")];
      await reserve(one, 10n);
      await reserve(two, 20n);
      await settle(one, 3n);
      await settle(one, 100n);
      expect(await spent()).toBe(OTHERS + 23n);
      await settle(two, 25n);
      expect(await spent()).toBe(OTHERS + 28n);
      await at.store.operator.steer({ pauses: { launches: "upgrade" } }, CHANGE);
      await expect(reserve(two, 1n)).rejects.toThrow("paused");
    });

    test("the wallet keeps its least after this launch and all others that are reserved", async () => {
      const [one, two] = [await take("ONE"), await take("TWO")];
      await reserve(one, 20n);
      const wallet = { minWalletLamports: 50n };
      const atLeast = OTHERS + 20n + 30n + 50n;
      expect(await reserve(two, 30n, { ...wallet, walletLamports: atLeast - 1n })).toEqual([
        "wallet_short",
        OTHERS + 20n,
      ]);
      expect(await spent()).toBe(OTHERS + 20n);
      expect(await reserve(two, 30n, { ...wallet, walletLamports: atLeast })).toEqual([
        "reserved",
        OTHERS + 20n,
      ]);
      // Its own reservation does not count as another one's.
      expect(await reserve(two, 30n, { ...wallet, walletLamports: atLeast })).toEqual([
        "reserved",
        OTHERS + 20n,
      ]);
    });

    test("a launch that ended or was settled holds nothing back from the wallet", async () => {
      const ended = await take("ENDED");
      await reserve(ended, 20n);
      await at.launches.fail(ended, ended, { message: "refused" });
      const settled = await take("SETTLED");
      await reserve(settled, 30n);
      await settle(settled, 30n);
      const one = await take("ONE");
      expect(await reserve(one, 1n, { walletLamports: OTHERS })).toEqual(["wallet_short", OTHERS]);
      // What they took, or may have taken, stays in the day's sum.
      expect(await spent()).toBe(OTHERS + 50n);
    });

    test("a day's limit counts what all launches of the day took and set aside", async () => {
      const [one, two] = [await take("ONE"), await take("TWO")];
      const day = { maxDailyLamports: 100n };
      expect(await reserve(one, 60n, day)).toEqual(["reserved", OTHERS]);
      expect(await reserve(two, 34n, day)).toEqual(["day_spent", OTHERS + 60n]);
      expect(await reserve(two, 33n, day)).toEqual(["reserved", OTHERS + 60n]);
      // Its own reservation for the day makes room for a new one.
      expect(await reserve(two, 34n, day)).toEqual(["day_spent", OTHERS + 60n]);
      await settle(one, 59n);
      expect(await reserve(two, 34n, day)).toEqual(["reserved", OTHERS]);
      expect(await spent()).toBe(100n);
    });

    test("a launch that is retried begins without a reservation", async () => {
      const one = await take("ONE");
      await reserve(one, 20n);
      await at.launches.fail(one, one, { message: "refused" });
      await at.retry(one, { wallet: "ONE" });
      await at.launches.lease("again", LEASE_MS);
      await at.launches.settle(one, "again", 0n);
      expect(await spent()).toBe(OTHERS + 20n);
    });

    test("a launch that is refused behind another one of its agent gives its reservation back", async () => {
      const first = await take("ONE");
      await at.launches.fail(first, first, { message: "refused" });
      const behind = crypto.randomUUID();
      await at.take("TWO", behind, { wallet: "ONE", eventId: behind });
      await reserve(behind, 9n);
      await at.launches.postpone(behind, behind, { delayMs: 5_000 });
      // Tried again, the older launch comes first.
      await at.retry(first, { wallet: "ONE" });
      expect(await at.launches.lease("again", LEASE_MS)).toMatchObject({ eventId: first });
      await at.launches.refuse("ONE", "again", "blocked");
      expect(await at.launches.find("ONE", behind)).toMatchObject({ status: "failed" });
      expect(await spent()).toBe(OTHERS);
      // Both keep their tickers, as before.
      await expect(at.insert("TWO", { wallet: "THREE" })).rejects.toThrow();
    });

    test("a reservation survives a restart, and its launch being put off", async () => {
      const one = await take("ONE");
      await reserve(one, 9n);
      await at.launches.postpone(one, one, { delayMs: 5_000 });
      const other = await at.database.openAnother();
      expect(await other.launches.spentToday()).toBe(OTHERS + 9n);
      expect(await reserve(await take("TWO"), 1n, { walletLamports: OTHERS + 9n })).toEqual([
        "wallet_short",
        OTHERS + 9n,
      ]);
    });
  },
  { isOtherPending: true },
);

describeStore("reservations from day to day", (at) => {
  const { reserve, settle, take, spent } = stepsOn(at);

  test("each UTC day begins at zero, and a clock that steps back reads its day again", async () => {
    await at.setTime(LAST_MS_OF_DAY);
    const one = await take("ONE");
    await reserve(one, 5n);
    expect(await spent()).toBe(5n);
    await at.advance(1);
    expect(await spent()).toBe(0n);
    await reserve(one, 3n);
    expect(await spent()).toBe(3n);
    await at.advance(-1);
    expect(await spent()).toBe(5n);
  });

  test("a sum of a day that is over stays as it is", async () => {
    await at.setTime(LAST_MS_OF_DAY);
    const one = await take("ONE");
    await reserve(one, 5n);
    await at.advance(1);
    await settle(one, 1n);
    expect(await spent()).toBe(0n);
    await at.setTime(START);
    expect(await spent()).toBe(5n);
  });

  test("a launch that waits for its outcome keeps its reservation, over midnight too", async () => {
    const one = await take("ONE");
    await reserve(one, 20n);
    await at.launches.recordAttempt(one, one, newAttempt("ONE"));
    await at.launches.postpone(one, one, { delayMs: 0 });
    await at.advance(DAY_MS);
    expect((await at.lease("another"))?.eventId).toBe(one);
    const two = await take("TWO");
    expect(await reserve(two, 1n, { walletLamports: 20n })).toEqual(["wallet_short", 20n]);
    expect(await spent()).toBe(0n);
  });
});
