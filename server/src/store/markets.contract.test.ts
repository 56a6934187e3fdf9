import { expect, test } from "bun:test";
import type { Market } from "../domain/token.ts";
import { describeStore } from "./testing/contract.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KEEP_ALL = { most: 1_000, step: 100 };

describeStore("the markets of tokens", (at) => {
  const markets = () => at.store.markets;
  const market = (price: bigint, other: Partial<Market> = {}): Market => ({
    ...{ price, marketCap: price * 5n, raised: 1n, goal: 2n ** 70n, earned: 3n, fees: 6n },
    feeRateAt: () => null,
    ...other,
  });
  const record = (tokenId: number, price: bigint, other: Partial<Market> = {}) =>
    markets().record([{ tokenId, ...market(price, other) }], at.now());
  const history = async (tokenId: number, period: "day" | "month") =>
    (await markets().history(tokenId, period, at.now())).map(({ price }) => price);

  test("show what was read last, and since when it is so, of the tokens that are asked for", async () => {
    const [one, two] = [
      await at.insertToken("ONE"),
      await at.insertToken("TWO", { wallet: "two" }),
    ];
    expect(await markets().of([one.tokenMint, two.tokenMint])).toEqual([]);
    const first = at.now();
    await record(one.id, 2n ** 80n);
    await record(two.id, 7n);
    await at.advance(MINUTE_MS);
    await record(one.id, 2n ** 80n);
    await record(two.id, 7n, { raised: null });
    const { tokenMint } = one;
    const { feeRateAt: _, ...stored } = market(2n ** 80n);
    expect(await markets().of([tokenMint, "unknown"])).toEqual([
      { ...stored, traded: 0n, tokenId: one.id, tokenMint, changedAt: first },
    ]);
    const [other] = await markets().of([two.tokenMint]);
    expect(other).toMatchObject({ raised: null, changedAt: at.now() });
  });

  test("add up what was traded from the fees since the last reading, at the fee of that time, and count none twice", async () => {
    const { id, tokenMint } = await at.insertToken("ONE");
    const inParts = (dividend: bigint) => ({ feeRateAt: () => ({ dividend, divisor: 100n }) });
    for (const [fees, parts, traded] of [
      [10n, 2n, 500n],
      [13n, 1n, 800n],
      // First a node that is behind, then one that is not.
      [10n, 1n, 800n],
      [14n, 1n, 900n],
    ] as const) {
      await record(id, fees, { fees, ...inParts(parts) });
      expect(await markets().of([tokenMint])).toMatchObject([{ traded }]);
    }
    await record(id, 20n, { fees: 20n });
    expect(await markets().of([tokenMint])).toMatchObject([{ traded: 900n, fees: 20n }]);
    expect(await markets().totals()).toMatchObject({ traded: 900n });
  });

  test("keep the last price of each minute of a day, and of each hour of 30 days, if it has changed", async () => {
    const { id } = await at.insertToken("ONE");
    for (const price of [1n, 2n, 2n, 3n]) {
      await record(id, price);
      await record(id, price + 10n);
      await at.advance(MINUTE_MS);
    }
    await record(id, 13n, { earned: 9n });
    expect(await history(id, "day")).toEqual([11n, 12n, 12n, 13n]);
    expect(await history(id, "month")).toEqual([13n]);
    const [{ at: begun } = { at: 0 }] = await markets().history(id, "month", at.now());
    expect(begun % HOUR_MS).toBe(0);
  });

  test("a day begins with the price from before it", async () => {
    const { id } = await at.insertToken("ONE");
    await record(id, 1n);
    await at.advance(2 * DAY_MS);
    expect(await markets().history(id, "day", at.now())).toEqual([
      { at: at.now() - DAY_MS, price: 1n },
    ]);
    await record(id, 2n);
    expect(await history(id, "day")).toEqual([1n, 2n]);
  });

  test("forget minutes after a day and hours after 30 days", async () => {
    const { id } = await at.insertToken("ONE");
    await record(id, 1n);
    await at.advance(DAY_MS + HOUR_MS);
    await record(id, 2n);
    expect(await markets().forget(at.now(), KEEP_ALL)).toBe(1);
    expect(await history(id, "month")).toEqual([1n, 2n]);
    await at.advance(29 * DAY_MS);
    expect(await markets().forget(at.now(), KEEP_ALL)).toBe(2);
    expect(await history(id, "month")).toEqual([2n]);
    expect(await markets().forget(at.now(), KEEP_ALL)).toBe(0);
  });

  test("of too many prices the oldest minutes go first, a limited number at a time", async () => {
    const { id } = await at.insertToken("ONE");
    for (const price of [1n, 2n, 3n]) {
      await record(id, price);
      await at.advance(HOUR_MS);
    }
    expect(await markets().forget(at.now(), { most: 3, step: 2 })).toBe(2);
    expect(await history(id, "day")).toEqual([3n]);
    expect(await markets().forget(at.now(), { most: 3, step: 2 })).toBe(1);
    expect(await markets().forget(at.now(), { most: 3, step: 2 })).toBe(0);
    expect(await history(id, "month")).toEqual([1n, 2n, 3n]);
  });
});
