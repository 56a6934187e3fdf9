import { describe, expect, test } from "bun:test";
import { insertLaunch, lease, newAttempt } from "../testing/launches.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);

const taken = (leaseId: string = crypto.randomUUID()) => lease(temp, leaseId)?.ticker ?? null;

test("a lease takes the oldest launch that is due, and counts the attempt", () => {
  insertLaunch(temp, "ONE", { wallet: "a" });
  insertLaunch(temp, "TWO", { wallet: "b" });
  expect(lease(temp, "lease")).toMatchObject({
    ticker: "ONE",
    status: "pending",
    attempts: 1,
    leaseId: "lease",
    leaseUntil: temp.clock.now() + 60_000,
    day: "2026-03-01",
  });
  expect(taken()).toBe("TWO");
  expect(taken()).toBeNull();
});

test("a launch that was put off is not due before its time", () => {
  const eventId = insertLaunch(temp, "ONE");
  lease(temp, "a");
  temp.store.launches.postpone(eventId, "a", temp.clock.now() + 5_000);
  temp.clock.advance(4_999);
  expect(taken()).toBeNull();
  temp.clock.advance(1);
  expect(taken()).toBe("ONE");
});

describe("of one wallet", () => {
  test("launches are leased one at a time and in order", () => {
    const one = insertLaunch(temp, "ONE");
    insertLaunch(temp, "TWO");
    insertLaunch(temp, "OTHER", { wallet: "other" });
    expect(taken("a")).toBe("ONE");
    expect(taken()).toBe("OTHER");
    expect(taken()).toBeNull();
    temp.store.launches.fail(one, "a", "refused", temp.clock.now());
    expect(taken()).toBe("TWO");
  });

  test("a launch that was put off holds up those behind it, and no other wallet's", () => {
    const one = insertLaunch(temp, "ONE");
    insertLaunch(temp, "TWO");
    lease(temp, "a");
    temp.store.launches.postpone(one, "a", temp.clock.now() + 5_000);
    insertLaunch(temp, "OTHER", { wallet: "other" });
    expect(taken()).toBe("OTHER");
    expect(taken()).toBeNull();
    temp.clock.advance(5_000);
    expect(taken()).toBe("ONE");
  });

  test("an older launch that is retried waits for the leased one, then goes first", () => {
    const one = insertLaunch(temp, "ONE");
    const two = insertLaunch(temp, "TWO");
    lease(temp, "a");
    temp.store.launches.fail(one, "a", "refused", temp.clock.now());
    expect(taken("b")).toBe("TWO");
    temp.store.launches.retry("agent", one, { address: null, now: temp.clock.now() });
    expect(taken()).toBeNull();
    temp.store.launches.postpone(two, "b", temp.clock.now());
    expect(taken()).toBe("ONE");
  });

  test("a launch whose transaction is undecided goes before all others", () => {
    const one = insertLaunch(temp, "ONE");
    const two = insertLaunch(temp, "TWO");
    lease(temp, "a");
    temp.store.launches.fail(one, "a", "refused", temp.clock.now());
    lease(temp, "b");
    temp.store.launches.recordAttempt(two, "b", newAttempt("TWO"), "2026-03-01");
    temp.store.launches.postpone(two, "b", temp.clock.now() + 5_000);
    temp.store.launches.retry("agent", one, { address: null, now: temp.clock.now() });
    expect(taken()).toBeNull();
    temp.clock.advance(5_000);
    expect(taken()).toBe("TWO");
  });
});

test("a launch whose transaction is undecided goes before older ones of other wallets", () => {
  const signed = insertLaunch(temp, "SIGNED", { wallet: "signer" });
  lease(temp, "a");
  temp.store.launches.recordAttempt(signed, "a", newAttempt("SIGNED"), "2026-03-01");
  insertLaunch(temp, "OLDER", { wallet: "other" });
  temp.clock.advance(1_000);
  temp.store.launches.postpone(signed, "a", temp.clock.now());
  expect(taken("b")).toBe("SIGNED");
  expect(taken("c")).toBe("OLDER");
});

describe("a lease", () => {
  test("passes to another worker once it has run out, and not before", () => {
    const eventId = insertLaunch(temp, "ONE");
    lease(temp, "first");
    temp.clock.advance(59_999);
    expect(taken()).toBeNull();
    temp.clock.advance(1);
    expect(lease(temp, "second")).toMatchObject({ leaseId: "second", attempts: 2 });
    expect(temp.store.launches.renew(eventId, "first", temp.clock.now() + 60_000)).toBe(false);
    expect(temp.store.launches.fail(eventId, "first", "refused", 0)).toBe(false);
    expect(temp.store.launches.renew(eventId, "second", temp.clock.now() + 60_000)).toBe(true);
  });

  test("that has run out still holds up the wallet's next launch", () => {
    insertLaunch(temp, "ONE");
    insertLaunch(temp, "TWO");
    lease(temp, "a");
    temp.clock.advance(60_000);
    expect(taken()).toBe("ONE");
    expect(taken()).toBeNull();
  });

  test("lasts longer once it is renewed", () => {
    const eventId = insertLaunch(temp, "ONE");
    lease(temp, "a");
    temp.clock.advance(50_000);
    temp.store.launches.renew(eventId, "a", temp.clock.now() + 60_000);
    temp.clock.advance(59_999);
    expect(taken()).toBeNull();
  });

  test("of an earlier process is freed by recover, which changes no launch that has ended", () => {
    insertLaunch(temp, "ONE", { wallet: "a" });
    insertLaunch(temp, "TWO", { wallet: "b" });
    const done = insertLaunch(temp, "DONE", { wallet: "c" });
    for (const id of ["a", "b", "c"]) lease(temp, id);
    temp.store.launches.fail(done, "c", "refused", 0);
    expect(temp.store.launches.recover()).toBe(2);
    expect([taken(), taken(), taken()]).toEqual(["ONE", "TWO", null]);
  });
});

describe("a clock that steps back", () => {
  test("by an hour keeps no launch waiting for an hour", () => {
    const one = insertLaunch(temp, "ONE");
    lease(temp, "a");
    temp.store.launches.postpone(one, "a", temp.clock.now() + 15_000);
    insertLaunch(temp, "TWO", { wallet: "other" });
    temp.clock.advance(-3_600_000);
    expect([taken(), taken()]).toEqual(["TWO", "ONE"]);
  });

  test("ends a lease that would last too long, and leaves one alone after a small step", () => {
    insertLaunch(temp, "ONE");
    lease(temp, "a");
    temp.clock.advance(-60_000);
    expect(taken()).toBeNull();
    temp.clock.advance(-1);
    expect(taken()).toBe("ONE");
  });
});

test("each lease moves a launch to the present day, until the launch is signed", () => {
  const eventId = insertLaunch(temp, "ONE");
  lease(temp, "a");
  temp.store.launches.postpone(eventId, "a", temp.clock.now());
  temp.clock.set(Date.UTC(2026, 2, 2));
  expect(lease(temp, "b")?.day).toBe("2026-03-02");
  temp.store.launches.recordAttempt(eventId, "b", newAttempt("ONE"), "2026-03-02");
  temp.store.launches.postpone(eventId, "b", temp.clock.now());
  temp.clock.set(Date.UTC(2026, 2, 3));
  expect(lease(temp, "c")?.day).toBe("2026-03-02");
});
