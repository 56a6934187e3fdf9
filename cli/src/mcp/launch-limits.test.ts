import { expect, test } from "bun:test";
import { ApiError } from "@tokenctl/sdk";
import { tempDir } from "../testing/cli.ts";
import { LaunchAllowance, LaunchPayments } from "./launch-limits.ts";

const DAY_MS = 86_400_000;

function setUp(limit: number) {
  const folder = tempDir();
  let now = 0;
  const open = () => new LaunchAllowance(folder.path, limit, () => now);
  return {
    open,
    nextDay: () => (now += DAY_MS),
    launch: (ticker: string, answer: () => Promise<unknown> = async () => {}, key = "key") =>
      open().launch({ ticker, key: () => key }, answer),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const refusal = (status: number) =>
  new ApiError("ticker_taken", {
    status,
    body: { error: "No" },
    requestId: null,
    retryAfterSeconds: null,
  });

test("several processes take no more places than there are, and leave none that they do not take", async () => {
  using state = setUp(3);
  const tickers = Array.from({ length: 20 }, (_, index) => `T${index}`);
  const taken = await Promise.allSettled(tickers.map((ticker) => state.launch(ticker)));
  expect(taken.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(3);
  // Two calls at once may each be refused because of the other. Afterwards the place is free.
  for (const ticker of tickers) await state.launch(ticker).catch(() => {});
  await expect(state.launch("MORE")).rejects.toThrow(/T\d+, T\d+, T\d+\. This MCP server allows 3/);
});

test("a ticker takes one place, which only a refusal gives back", async () => {
  using state = setUp(1);
  for (const status of [500, 503]) {
    await expect(state.launch("AAA", () => Promise.reject(refusal(status)))).rejects.toThrow("No");
  }
  await state.launch("AAA");
  await expect(state.launch("AAA", () => Promise.reject(refusal(409)))).rejects.toThrow("No");
  await expect(state.launch("BBB")).rejects.toThrow("Launches today (UTC): AAA.");
  using other = setUp(1);
  await expect(other.launch("AAA", () => Promise.reject(refusal(409)))).rejects.toThrow("No");
  await other.launch("BBB");
});

test("of two launches of a ticker, the refused one gives back no place of the other", async () => {
  using state = setUp(1);
  const accepted = Promise.withResolvers<void>();
  const refused = state.launch(
    "AAA",
    async () => {
      await accepted.promise;
      throw refusal(409);
    },
    "a",
  );
  await state.launch("AAA", undefined, "b");
  accepted.resolve();
  await expect(refused).rejects.toThrow("No");
  await expect(state.launch("BBB")).rejects.toThrow("Launches today (UTC): AAA.");
});

test("a launch is a repeat if one with its key was asked for that day", async () => {
  using state = setUp(2);
  const isRepeat = (key: string) =>
    state.open().isRepeat({ ticker: "AAA", key: (day) => day + key });
  expect(await isRepeat("one")).toBe(false);
  await state.launch("AAA", undefined, "1970-01-01one");
  expect([await isRepeat("one"), await isRepeat("two")]).toEqual([true, false]);
  state.nextDay();
  expect(await isRepeat("one")).toBe(false);
});

test("a day's places are free again on the next day", async () => {
  using state = setUp(1);
  await state.launch("AAA");
  await expect(state.launch("BBB")).rejects.toThrow("allows 1 a day");
  state.nextDay();
  await state.launch("BBB");
});

test("what a service says becomes the name of no other file", async () => {
  using state = setUp(1);
  await expect(state.launch("../../../AAA")).rejects.toThrow("ticker is not valid");
});

const LIMITS = { perLaunch: 100_000_000n, launchesPerDay: 2 };

function scene() {
  const folder = tempDir();
  let now = 0;
  // A new process each time, as after a restart.
  const open = () => new LaunchPayments({ ...LIMITS, folder: folder.path, now: () => now });
  return {
    open,
    nextDay: () => (now += DAY_MS),
    sign(tokenMint: string, total: number, networkFee = 0) {
      const costSOL = { total, rent: total - networkFee, networkFee, creationFee: 0, firstBuy: 0 };
      return open().approve({ tokenMint, costSOL });
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("one launch costs no more than the limit, whatever the service says", async () => {
  using day = scene();
  await day.sign("ONE", 0.1);
  await expect(day.sign("TWO", 0.100_000_001)).rejects.toThrow("more than the 0.1 SOL allowed");
  expect(() => day.open().check(0.2)).toThrow("more than the 0.1 SOL allowed");
});

test("the launches of a UTC day cost no more than all of them may, also after restarts, and one that is signed again counts once", async () => {
  using day = scene();
  for (let again = 0; again < 5; again++) await day.sign("ONE", 0.1);
  // Either of its two transactions may land, so the higher cost counts.
  await day.sign("ONE", 0.05);
  await day.sign("TWO", 0.06);
  await expect(day.sign("THREE", 0.05)).rejects.toThrow("more than 2 times the 0.1 SOL");
  await day.sign("THREE", 0.04);
  day.nextDay();
  await day.sign("FOUR", 0.1);
});

test("a launch that is signed again may pay the network fee again, because its first transaction may fail", async () => {
  using day = scene();
  await day.sign("ONE", 0.1, 0.02);
  await day.sign("ONE", 0.1, 0.02);
  await expect(day.sign("TWO", 0.09)).rejects.toThrow("would cost 0.21 SOL");
  await day.sign("TWO", 0.08);
});

test("several processes sign for no more than the day's cost", async () => {
  using day = scene();
  const mints = Array.from({ length: 10 }, (_, index) => `MINT${index}`);
  const signed = await Promise.allSettled(mints.map((mint) => day.sign(mint, 0.1)));
  expect(signed.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(2);
});
