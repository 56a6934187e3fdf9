import { expect, test } from "bun:test";
import { NONCE_LIFETIME_MS } from "@tokenctl/shared/limits";
import bs58 from "bs58";
import { ManualClock } from "../../testing/manual-clock.ts";
import { NonceStore } from "./nonces.ts";

function issue(nonces: NonceStore, wallet: string): string {
  const nonce = nonces.issue(wallet);
  if (nonce === null) throw new Error("no nonce");
  return nonce;
}

test("default: a nonce of 32 random bytes is taken once, by its wallet", () => {
  const nonces = new NonceStore(new ManualClock(), 10);
  const nonce = issue(nonces, "agent");
  expect(bs58.decode(nonce)).toHaveLength(32);
  expect(issue(nonces, "agent")).not.toBe(nonce);
  expect(nonces.take(nonce, "agent")).toBe(true);
  expect(nonces.take(nonce, "agent")).toBe(false);
});

test("behavior: one that was never issued is refused", () => {
  const nonces = new NonceStore(new ManualClock(), 10);
  for (const nonce of ["", "nonce", "__proto__", "constructor"]) {
    expect(nonces.take(nonce, "agent")).toBe(false);
  }
});

test("behavior: another wallet that names it is refused, and uses it up", () => {
  const nonces = new NonceStore(new ManualClock(), 10);
  const nonce = issue(nonces, "agent");
  expect(nonces.take(nonce, "other")).toBe(false);
  expect(nonces.take(nonce, "agent")).toBe(false);
});

test("behavior: it is good to the last millisecond of five minutes, and not after", () => {
  const clock = new ManualClock();
  const nonces = new NonceStore(clock, 10);
  const [early, late] = [issue(nonces, "agent"), issue(nonces, "agent")];
  clock.advance(NONCE_LIFETIME_MS - 1);
  expect(nonces.take(early, "agent")).toBe(true);
  clock.advance(1);
  expect(nonces.take(late, "agent")).toBe(false);
});

test("behavior: no more than so many are outstanding, and expired ones make room", () => {
  const clock = new ManualClock();
  const nonces = new NonceStore(clock, 2);
  const first = issue(nonces, "agent");
  issue(nonces, "other");
  expect(nonces.issue("third")).toBeNull();
  nonces.take(first, "agent");
  issue(nonces, "third");
  expect(nonces.issue("fourth")).toBeNull();
  clock.advance(NONCE_LIFETIME_MS);
  issue(nonces, "fourth");
  expect(nonces.size).toBe(1);
});

test("behavior: after a clock steps back, old ones do not keep expired ones in memory", () => {
  const clock = new ManualClock();
  const nonces = new NonceStore(clock, 100);
  issue(nonces, "agent");
  clock.advance(-86_400_000);
  for (let round = 0; round < 20; round++) {
    issue(nonces, "agent");
    clock.advance(NONCE_LIFETIME_MS);
  }
  expect(nonces.size).toBeLessThanOrEqual(2);
});

test("behavior: a step back costs nobody a nonce, and makes none last longer", () => {
  const clock = new ManualClock();
  const nonces = new NonceStore(clock, 100);
  const [early, late] = [issue(nonces, "agent"), issue(nonces, "agent")];
  clock.advance(-86_400_000);
  issue(nonces, "other");
  clock.advance(NONCE_LIFETIME_MS - 1);
  expect(nonces.take(early, "agent")).toBe(true);
  clock.advance(1);
  expect(nonces.take(late, "agent")).toBe(false);
});
