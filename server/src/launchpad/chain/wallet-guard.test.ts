import { describe, expect, test } from "bun:test";
import { utcDay } from "../../base/utc-day.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { LaunchWalletError } from "../errors.ts";
import { WalletGuard, type WalletLimits } from "./wallet-guard.ts";

const DAY_MS = 86_400_000;

function setUp(limits: Partial<WalletLimits> = {}) {
  const clock = new ManualClock();
  const days = new Map<string, bigint>();
  let records = 0;
  const spent = () => days.get(utcDay(clock.now())) ?? 0n;
  const guard = new WalletGuard(
    "wallet",
    { minWalletLamports: 0n, maxDailySpendLamports: null, ...limits },
    {
      spentToday: spent,
      record: (lamports) => {
        records += 1;
        days.set(utcDay(clock.now()), spent() + lamports);
      },
    },
    clock,
  );
  return { guard, clock, spent, days, records: () => records };
}

describe("a launch's cost", () => {
  test("is measured across slots while nobody else spends", () => {
    const { guard } = setUp();
    expect(guard.startMeasuring()(100n, false)).toBe(100n);
    expect(guard.startMeasuring()(90n, false)).toBe(90n);
  });

  test("is measured within a slot whoever else spends", () => {
    const { guard } = setUp();
    guard.startMeasuring()(100n, false);
    guard.reserve(1_000n, 100n);
    expect(guard.startMeasuring()(70n, true)).toBe(70n);
    expect(guard.startMeasuring()(999n, false)).toBe(70n);
  });

  test("is the last one measured if another launch was in flight before", () => {
    const { guard } = setUp();
    guard.startMeasuring()(100n, false);
    const other = guard.reserve(1_000n, 100n);
    const costOf = guard.startMeasuring();
    other.release(100n);
    expect(costOf(200n, false)).toBe(100n);
    expect(guard.startMeasuring()(80n, false)).toBe(80n);
  });

  test("is the last one measured if another launch started and ended meanwhile", () => {
    const { guard } = setUp();
    guard.startMeasuring()(100n, false);
    const costOf = guard.startMeasuring();
    guard.reserve(1_000n, 100n).release(100n);
    expect(costOf(200n, false)).toBe(100n);
  });

  test("is the difference if none was measured, but is not kept for others", () => {
    const { guard } = setUp();
    guard.reserve(1_000n, 100n);
    expect(guard.startMeasuring()(300n, false)).toBe(300n);
    expect(guard.startMeasuring()(250n, false)).toBe(250n);
  });

  test("is not lower because SOL arrives meanwhile", () => {
    const { guard } = setUp();
    for (const difference of [0n, -5_000n])
      expect(guard.startMeasuring()(difference, false)).toBe(0n);
    guard.startMeasuring()(100n, false);
    for (const isSameSlot of [false, true]) {
      for (const difference of [0n, -5_000n]) {
        expect(guard.startMeasuring()(difference, isSameSlot)).toBe(100n);
      }
    }
    expect(guard.startMeasuring()(1n, false)).toBe(1n);
  });
});

describe("a reservation", () => {
  test("leaves the floor and what others have reserved, to the lamport", () => {
    const { guard } = setUp({ minWalletLamports: 50n });
    expect(() => guard.reserve(149n, 100n)).toThrow(LaunchWalletError);
    const first = guard.reserve(150n, 100n);
    expect(() => guard.reserve(249n, 100n)).toThrow("needs 0.00000025 SOL");
    guard.reserve(250n, 100n);
    first.release(100n);
    expect(() => guard.reserve(249n, 100n)).toThrow(LaunchWalletError);
    guard.reserve(250n, 100n);
  });

  test("is released once, however often that is asked", () => {
    const { guard, spent } = setUp();
    const reservation = guard.reserve(100n, 100n);
    reservation.release(30n);
    reservation.release(0n);
    expect(spent()).toBe(30n);
    expect(() => guard.reserve(99n, 100n)).toThrow(LaunchWalletError);
    guard.reserve(100n, 100n);
    expect(() => guard.reserve(199n, 100n)).toThrow(LaunchWalletError);
  });

  test("can use up the day's limit, but not exceed it", () => {
    const { guard, clock, spent } = setUp({ maxDailySpendLamports: 200n });
    guard.reserve(1_000n, 100n).release(100n);
    expect(() => guard.reserve(1_000n, 101n)).toThrow("limit of 0.0000002 SOL a day");
    guard.reserve(1_000n, 100n).release(100n);
    expect(() => guard.reserve(1_000n, 1n)).toThrow("limit of 0.0000002 SOL a day");
    expect(spent()).toBe(200n);
    clock.advance(DAY_MS);
    guard.reserve(1_000n, 100n);
    expect(spent()).toBe(100n);
  });

  test("that cost what was reserved is booked once", () => {
    const { guard, records } = setUp();
    guard.reserve(100n, 100n).release(100n);
    expect(records()).toBe(1);
  });

  test("that ends on another day changes the sum of neither day", () => {
    const { guard, clock, days } = setUp();
    const first = guard.reserve(1_000n, 100n);
    first.linkTo("signature", 5n);
    clock.advance(DAY_MS);
    first.release(0n);
    guard.endAttempt("signature", "expired");
    expect([...days.values()]).toEqual([100n]);
  });
});

describe("an attempt whose outcome was open", () => {
  /** Booked whole, as long as nobody knows what they took. */
  function twoOpenAttempts() {
    const fixture = setUp();
    for (const [signature, cost] of [
      ["one", 100n],
      ["two", 70n],
    ] as const) {
      const reservation = fixture.guard.reserve(1_000n, cost);
      reservation.linkTo(signature, 5n);
      reservation.release(cost);
    }
    return fixture;
  }

  test("counts its network fee alone if it has failed on chain", () => {
    const { guard, spent } = twoOpenAttempts();
    guard.endAttempt("one", "failed");
    guard.endAttempt("one", "failed");
    expect(spent()).toBe(75n);
  });

  test("is taken off the book once if it has expired", () => {
    const { guard, spent } = twoOpenAttempts();
    guard.endAttempt("unknown", "expired");
    expect(spent()).toBe(170n);
    guard.endAttempt("one", "expired");
    guard.endAttempt("one", "expired");
    expect(spent()).toBe(70n);
    guard.endAttempt("two", "landed");
    guard.endAttempt("two", "expired");
    expect(spent()).toBe(70n);
  });
});

describe("the problem of the next launch", () => {
  test("is a balance under the floor, to the lamport", () => {
    const { guard } = setUp({ minWalletLamports: 50n });
    expect(guard.findProblem(50n)).toBeNull();
    expect(guard.isUnderFloor(50n)).toBe(false);
    expect(guard.isUnderFloor(49n)).toBe(true);
    expect(guard.findProblem(49n)).toBe(
      "The launch wallet wallet holds 0.000000049 SOL and needs 0.00000005 SOL to launch: send SOL to it",
    );
  });

  test("is a balance that the last launch found too small, until it has grown enough", () => {
    const { guard } = setUp({ minWalletLamports: 50n });
    expect(() => guard.reserve(149n, 100n)).toThrow();
    expect(guard.findProblem(149n)).toContain("needs 0.00000015 SOL");
    expect(guard.findProblem(150n)).toBeNull();
    guard.reserve(150n, 100n);
    expect(guard.findProblem(149n)).toBeNull();
  });

  test("is what others have reserved, only as long as they hold it", () => {
    const { guard } = setUp();
    guard.reserve(100n, 100n);
    expect(() => guard.reserve(100n, 100n)).toThrow("needs 0.0000002 SOL");
    expect(guard.findProblem(100n)).toBeNull();
    expect(guard.findProblem(99n)).not.toBeNull();
  });

  test("is a balance that the chain found too small, until it grows", () => {
    const { guard } = setUp();
    const error = guard.shortageError(7n);
    expect(error).toBeInstanceOf(LaunchWalletError);
    expect(error.message).toContain("holds 0.000000007 SOL and needs more to launch");
    expect(guard.findProblem(7n)).not.toBeNull();
    expect(guard.findProblem(8n)).toBeNull();
  });

  test("is the day's limit, until the day is over", () => {
    const { guard, clock } = setUp({ maxDailySpendLamports: 100n });
    expect(() => guard.reserve(1_000n, 101n)).toThrow();
    expect(guard.findProblem(1_000n)).toContain("they go on at 00:00 UTC");
    clock.advance(DAY_MS);
    expect(guard.findProblem(1_000n)).toBeNull();
  });
});
