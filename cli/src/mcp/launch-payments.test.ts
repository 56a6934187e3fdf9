import { expect, test } from "bun:test";
import { temporaryFolder } from "../testing/cli.ts";
import { LaunchPayments } from "./launch-payments.ts";

const DAY_MS = 86_400_000;
const LIMITS = { perLaunch: 100_000_000n, launchesPerDay: 2 };

function scene() {
  const folder = temporaryFolder();
  let now = 0;
  /** Of a process of its own. */
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
  // Either of its transactions may land.
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

test("processes that sign at the same time pay no more together, and keep none from paying later", async () => {
  using day = scene();
  const mints = Array.from({ length: 20 }, (_, index) => `T${String.fromCharCode(65 + index)}`);
  const signed = await Promise.allSettled(mints.map((mint) => day.sign(mint, 0.1)));
  expect(signed.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(2);
  // Each of two may be refused because of the other's file; what it would cost is free then.
  const later = await Array.fromAsync(mints, (mint) => day.sign(mint, 0.1).catch(() => "refused"));
  expect(later.filter((each) => each !== "refused")).toHaveLength(2);
});

test("a mint that is no address becomes the name of no file", async () => {
  using day = scene();
  await expect(day.sign("../../../AAA", 0.1)).rejects.toThrow("mint address is not valid");
});
