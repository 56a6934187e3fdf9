import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { BackOff } from "./transitions.ts";

test("pauses grow from 1 s to 15 s, and are short again after a success", () => {
  const clock = new ManualClock();
  const backOff = new BackOff(clock);
  expect(backOff).toMatchObject({ remaining: 0, trouble: null });
  const pauses: number[] = [];
  for (let round = 0; round < 6; round++) {
    expect(backOff.begin("chain_unavailable")).toBe(backOff.remaining);
    pauses.push(backOff.remaining);
    clock.advance(backOff.remaining - 1);
    expect(backOff.remaining).toBe(1);
    clock.advance(1);
    expect(backOff).toMatchObject({ remaining: 0, trouble: { reason: "chain_unavailable" } });
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  backOff.end();
  expect(backOff).toMatchObject({ remaining: 0, trouble: null });
  backOff.begin("chain_unavailable");
  expect(backOff.remaining).toBe(1_000);
});

test("launches that fail side by side make one pause", () => {
  const clock = new ManualClock();
  const backOff = new BackOff(clock);
  expect(backOff.begin("chain_unavailable")).toBe(1_000);
  clock.advance(400);
  expect(backOff.begin("chain_unavailable")).toBe(600);
  expect(backOff.remaining).toBe(600);
});

test("a clock that steps back does not stretch a pause", () => {
  const clock = new ManualClock();
  const backOff = new BackOff(clock);
  backOff.begin("chain_unavailable");
  clock.advance(-3_600_000);
  expect(backOff.remaining).toBe(1_000);
  expect(backOff.begin("chain_unavailable")).toBe(1_000);
  clock.advance(1_000);
  expect(backOff.remaining).toBe(0);
});

test("its trouble is that of the last launch, since it began, until a launch succeeds", () => {
  const clock = new ManualClock();
  const backOff = new BackOff(clock);
  expect(backOff.trouble).toBeNull();
  const since = clock.now();
  backOff.begin("chain_unavailable");
  clock.advance(1_000);
  backOff.begin("chain_unavailable");
  expect(backOff.trouble).toEqual({ reason: "chain_unavailable", since });
  backOff.begin("launch_wallet_short");
  expect(backOff.trouble).toEqual({ reason: "launch_wallet_short", since: since + 1_000 });
  backOff.end();
  expect(backOff.trouble).toBeNull();
});
