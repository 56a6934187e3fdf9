import { expect, test } from "bun:test";
import { LaunchPayments } from "./launch-payments.ts";

const DAY_MS = 86_400_000;
const LIMITS = { perLaunch: 100_000_000n, launchesPerDay: 2 };

function scene() {
  let now = 0;
  const payments = new LaunchPayments(LIMITS, () => now);
  return {
    payments,
    nextDay: () => (now += DAY_MS),
    sign(tokenMint: string, total: number) {
      const costSOL = { total, rent: total, networkFee: 0, creationFee: 0, firstBuy: 0 };
      payments.approve({ tokenMint, costSOL });
    },
  };
}

test("one launch costs no more than the limit, whatever the service says", () => {
  const { sign, payments } = scene();
  sign("ONE", 0.1);
  expect(() => sign("TWO", 0.100_000_001)).toThrow("more than the 0.1 SOL allowed");
  expect(() => payments.check(0.2)).toThrow("more than the 0.1 SOL allowed");
});

test("the launches of a UTC day cost no more than all of them may, and a launch that is signed again counts once", () => {
  const { sign, nextDay } = scene();
  for (let again = 0; again < 5; again++) sign("ONE", 0.1);
  sign("TWO", 0.06);
  expect(() => sign("THREE", 0.05)).toThrow("more than 2 times the 0.1 SOL");
  sign("THREE", 0.04);
  nextDay();
  sign("FOUR", 0.1);
});
