import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { LaunchCost } from "../../domain/reservation.ts";
import { insertLaunch, lease, newAttempt } from "../../testing/launches.ts";
import { openSqliteStore } from "./store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const DAY_MS = 86_400_000;
const LAST_MS_OF_DAY = Date.UTC(2026, 2, 2) - 1;

const temp = storeWithOtherWallet(false);

/** Stores a launch of a wallet of its own, leased under its ticker. @returns its event id */
async function leased(ticker: string): Promise<string> {
  const eventId = await insertLaunch(temp, ticker, { wallet: `wallet of ${ticker}` });
  const launch = await lease(temp, ticker);
  if (launch?.ticker !== ticker) throw new Error(`${ticker} was not leased`);
  return eventId;
}

function reserve(eventId: string, leaseId: string, lamports: bigint, other?: Partial<LaunchCost>) {
  return temp.store.launches.reserve(eventId, leaseId, {
    lamports,
    walletLamports: 10n ** 18n,
    minWalletLamports: 0n,
    maxDailyLamports: null,
    ...other,
  });
}

const spentToday = () => temp.store.launches.spentToday();

/** Lamports that a launch's row has set aside; null without a reservation. */
function reservedOf(eventId: string): unknown {
  using client = new Database(temp.path);
  const query = client.query(
    "select reserved_lamports, reserved_day from launches where event_id = ?",
  );
  return query.values(eventId)[0];
}

const NOTHING = [null, null];

describe("a reservation", () => {
  test("is added exactly, beyond what a double holds", async () => {
    const [one, two] = [await leased("ONE"), await leased("TWO")];
    expect(await spentToday()).toBe(0n);
    expect(await reserve(one, "ONE", 2n ** 53n)).toEqual({ kind: "reserved", reserved: 0n });
    expect(await reserve(two, "TWO", 1n)).toEqual({ kind: "reserved", reserved: 2n ** 53n });
    expect(await spentToday()).toBe(2n ** 53n + 1n);
    const short = { walletLamports: 2n ** 53n + 1n };
    expect(await reserve(await leased("THREE"), "THREE", 1n, short)).toEqual({
      kind: "wallet_short",
      reserved: 2n ** 53n + 1n,
    });
  });

  test("leaves the floor and what other pending launches have set aside, to the lamport", async () => {
    const [one, two] = [await leased("ONE"), await leased("TWO")];
    const floor = { minWalletLamports: 50n };
    await reserve(one, "ONE", 100n, { ...floor, walletLamports: 150n });
    const short = await reserve(two, "TWO", 100n, { ...floor, walletLamports: 249n });
    expect(short).toEqual({ kind: "wallet_short", reserved: 100n });
    expect(await spentToday()).toBe(100n);
    expect(reservedOf(two)).toEqual(NOTHING);
    const enough = await reserve(two, "TWO", 100n, { ...floor, walletLamports: 250n });
    expect(enough).toEqual({ kind: "reserved", reserved: 100n });
  });

  test("can use up the day's limit, but not exceed it", async () => {
    const [one, two] = [await leased("ONE"), await leased("TWO")];
    const limit = { maxDailyLamports: 200n };
    await reserve(one, "ONE", 100n, limit);
    expect(await reserve(two, "TWO", 101n, limit)).toEqual({ kind: "day_spent", spent: 100n });
    expect(await reserve(two, "TWO", 100n, limit)).toEqual({ kind: "reserved", reserved: 100n });
    expect(await spentToday()).toBe(200n);
  });

  test("replaces the launch's earlier one, and no other launch's", async () => {
    const [one, two] = [await leased("ONE"), await leased("TWO")];
    await reserve(two, "TWO", 30n);
    await reserve(one, "ONE", 100n);
    const again = { maxDailyLamports: 130n, walletLamports: 130n };
    expect(await reserve(one, "ONE", 100n, again)).toEqual({ kind: "reserved", reserved: 30n });
    expect(await spentToday()).toBe(130n);
    expect(reservedOf(two)).toEqual(["30", "2026-03-01"]);
  });

  test("of another day keeps that day's sum when it is replaced", async () => {
    const one = await leased("ONE");
    temp.clock.set(LAST_MS_OF_DAY);
    await temp.store.launches.renew(one, "ONE", 60_000);
    await reserve(one, "ONE", 100n);
    temp.clock.advance(1);
    await reserve(one, "ONE", 70n, { maxDailyLamports: 70n });
    expect(await spentToday()).toBe(70n);
    temp.clock.advance(-1);
    expect(await spentToday()).toBe(100n);
  });

  test("without the lease changes nothing", async () => {
    const one = await leased("ONE");
    expect(await reserve(one, "stranger", 5n)).toEqual({ kind: "lease_lost" });
    await reserve(one, "ONE", 100n);
    await temp.store.launches.settle(one, "stranger", 0n);
    expect(await spentToday()).toBe(100n);
    expect(reservedOf(one)).toEqual(["100", "2026-03-01"]);
  });

  test("survives a restart and a launch that is put off, and its wallet is still spoken for", async () => {
    const one = await leased("ONE");
    await reserve(one, "ONE", 100n);
    await temp.store.launches.postpone(one, "ONE", 5_000);
    const other = openSqliteStore(temp.path, { clock: temp.clock });
    expect(await other.launches.spentToday()).toBe(100n);
    await other.close();
    const short = { walletLamports: 199n };
    expect(await reserve(await leased("TWO"), "TWO", 100n, short)).toMatchObject({
      reserved: 100n,
    });
  });
});

describe("a settled reservation", () => {
  test("counts what the launch took, once", async () => {
    const [one, two] = [await leased("ONE"), await leased("TWO")];
    const { launches } = temp.store;
    await reserve(one, "ONE", 100n);
    await reserve(two, "TWO", 70n);
    await launches.settle(one, "ONE", 5n);
    await launches.settle(one, "ONE", 0n);
    expect(await spentToday()).toBe(75n);
    expect([reservedOf(one), reservedOf(two)]).toEqual([NOTHING, ["70", "2026-03-01"]]);
  });

  test("changes the sum of no other day", async () => {
    const one = await leased("ONE");
    temp.clock.set(LAST_MS_OF_DAY);
    await temp.store.launches.renew(one, "ONE", 60_000);
    await reserve(one, "ONE", 100n);
    temp.clock.advance(1);
    await temp.store.launches.settle(one, "ONE", 0n);
    expect(await spentToday()).toBe(0n);
    expect(reservedOf(one)).toEqual(NOTHING);
    temp.clock.advance(-1);
    expect(await spentToday()).toBe(100n);
  });
});

test("a launch that ends keeps no reservation, but with a token what it took, and the day's sum stays", async () => {
  const { launches } = temp.store;
  const ends: Record<string, (eventId: string, ticker: string) => Promise<unknown>> = {
    GONE: (eventId, ticker) => launches.fail(eventId, ticker, "refused"),
    LATE: (_, ticker) => launches.limit(`wallet of ${ticker}`, ticker, "once a day"),
  };
  let sum = 0n;
  for (const [ticker, end] of Object.entries(ends)) {
    const eventId = await leased(ticker);
    await reserve(eventId, ticker, 100n);
    await end(eventId, ticker);
    expect(reservedOf(eventId)).toEqual(NOTHING);
    sum += 100n;
    expect(await spentToday()).toBe(sum);
  }
  const eventId = await insertLaunch(temp, "DONE");
  const launch = await lease(temp, "DONE");
  if (!launch) throw new Error("DONE was not leased");
  await reserve(eventId, "DONE", 100n);
  await launches.succeed(launch, "DONE", newAttempt("DONE"));
  expect(reservedOf(eventId)).toEqual(["100", null]);
  expect(await spentToday()).toBe(sum + 100n);
});

test("the sum of a day starts at zero, and a clock that steps back reads its day again", async () => {
  const one = await leased("ONE");
  await reserve(one, "ONE", 5n);
  temp.clock.advance(DAY_MS);
  expect(await spentToday()).toBe(0n);
  temp.clock.advance(-DAY_MS);
  expect(await spentToday()).toBe(5n);
});
