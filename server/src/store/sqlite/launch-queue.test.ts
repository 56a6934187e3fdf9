import { describe, expect, test } from "bun:test";
import { insertLaunch, lease, newAttempt } from "../../testing/launches.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);

const taken = async (leaseId: string = crypto.randomUUID()) =>
  (await lease(temp, leaseId))?.ticker ?? null;

test("a lease takes the oldest launch that is due, and counts the attempt", async () => {
  await insertLaunch(temp, "ONE", { wallet: "a" });
  await insertLaunch(temp, "TWO", { wallet: "b" });
  expect(await lease(temp, "lease")).toMatchObject({
    ticker: "ONE",
    status: "pending",
    attempts: 1,
    leaseId: "lease",
    leaseUntil: temp.clock.now() + 60_000,
    day: "2026-03-01",
  });
  expect(await taken()).toBe("TWO");
  expect(await taken()).toBeNull();
});

test("a launch that was put off is not due before its time", async () => {
  const eventId = await insertLaunch(temp, "ONE");
  await lease(temp, "a");
  await temp.store.launches.postpone(eventId, "a", 5_000);
  temp.clock.advance(4_999);
  expect(await taken()).toBeNull();
  temp.clock.advance(1);
  expect(await taken()).toBe("ONE");
});

describe("of one wallet", () => {
  test("launches are leased one at a time and in order", async () => {
    const one = await insertLaunch(temp, "ONE");
    await insertLaunch(temp, "TWO");
    await insertLaunch(temp, "OTHER", { wallet: "other" });
    expect(await taken("a")).toBe("ONE");
    expect(await taken()).toBe("OTHER");
    expect(await taken()).toBeNull();
    await temp.store.launches.fail(one, "a", "refused");
    expect(await taken()).toBe("TWO");
  });

  test("a launch that was put off holds up those behind it, and no other wallet's", async () => {
    const one = await insertLaunch(temp, "ONE");
    await insertLaunch(temp, "TWO");
    await lease(temp, "a");
    await temp.store.launches.postpone(one, "a", 5_000);
    await insertLaunch(temp, "OTHER", { wallet: "other" });
    expect(await taken()).toBe("OTHER");
    expect(await taken()).toBeNull();
    temp.clock.advance(5_000);
    expect(await taken()).toBe("ONE");
  });

  test("an older launch that is retried waits for the leased one, then goes first", async () => {
    const one = await insertLaunch(temp, "ONE");
    const two = await insertLaunch(temp, "TWO");
    await lease(temp, "a");
    await temp.store.launches.fail(one, "a", "refused");
    expect(await taken("b")).toBe("TWO");
    await temp.store.launches.retry("agent", one, { address: null, now: temp.clock.now() });
    expect(await taken()).toBeNull();
    await temp.store.launches.postpone(two, "b", 0);
    expect(await taken()).toBe("ONE");
  });

  test("a launch whose transaction is undecided goes before all others", async () => {
    const one = await insertLaunch(temp, "ONE");
    const two = await insertLaunch(temp, "TWO");
    await lease(temp, "a");
    await temp.store.launches.fail(one, "a", "refused");
    await lease(temp, "b");
    await temp.store.launches.recordAttempt(two, "b", newAttempt("TWO"));
    await temp.store.launches.postpone(two, "b", 5_000);
    await temp.store.launches.retry("agent", one, { address: null, now: temp.clock.now() });
    expect(await taken()).toBeNull();
    temp.clock.advance(5_000);
    expect(await taken()).toBe("TWO");
  });
});

test("a launch whose transaction is undecided goes before older ones of other wallets", async () => {
  const signed = await insertLaunch(temp, "SIGNED", { wallet: "signer" });
  await lease(temp, "a");
  await temp.store.launches.recordAttempt(signed, "a", newAttempt("SIGNED"));
  await insertLaunch(temp, "OLDER", { wallet: "other" });
  temp.clock.advance(1_000);
  await temp.store.launches.postpone(signed, "a", 0);
  expect(await taken("b")).toBe("SIGNED");
  expect(await taken("c")).toBe("OLDER");
});

describe("a lease", () => {
  test("passes to another worker once it has run out, and not before", async () => {
    const eventId = await insertLaunch(temp, "ONE");
    await lease(temp, "first");
    temp.clock.advance(59_999);
    expect(await taken()).toBeNull();
    temp.clock.advance(1);
    expect(await lease(temp, "second")).toMatchObject({ leaseId: "second", attempts: 2 });
    expect(await temp.store.launches.renew(eventId, "first", 60_000)).toBe(false);
    expect(await temp.store.launches.fail(eventId, "first", "refused")).toBe(false);
    expect(await temp.store.launches.renew(eventId, "second", 60_000)).toBe(true);
  });

  test("that has run out still holds up the wallet's next launch", async () => {
    await insertLaunch(temp, "ONE");
    await insertLaunch(temp, "TWO");
    await lease(temp, "a");
    temp.clock.advance(60_000);
    expect(await taken()).toBe("ONE");
    expect(await taken()).toBeNull();
  });

  test("lasts longer once it is renewed", async () => {
    const eventId = await insertLaunch(temp, "ONE");
    await lease(temp, "a");
    temp.clock.advance(50_000);
    await temp.store.launches.renew(eventId, "a", 60_000);
    temp.clock.advance(59_999);
    expect(await taken()).toBeNull();
  });

  test("of an earlier process is freed by recover, which changes no launch that has ended", async () => {
    await insertLaunch(temp, "ONE", { wallet: "a" });
    await insertLaunch(temp, "TWO", { wallet: "b" });
    const done = await insertLaunch(temp, "DONE", { wallet: "c" });
    for (const id of ["a", "b", "c"]) await lease(temp, id);
    await temp.store.launches.fail(done, "c", "refused");
    expect(await temp.store.launches.recover()).toBe(2);
    expect([await taken(), await taken(), await taken()]).toEqual(["ONE", "TWO", null]);
  });
});

describe("a clock that steps back", () => {
  test("by an hour keeps no launch waiting for an hour", async () => {
    const one = await insertLaunch(temp, "ONE");
    await lease(temp, "a");
    await temp.store.launches.postpone(one, "a", 15_000);
    await insertLaunch(temp, "TWO", { wallet: "other" });
    temp.clock.advance(-3_600_000);
    expect([await taken(), await taken()]).toEqual(["TWO", "ONE"]);
  });

  test("ends a lease that would last too long, and leaves one alone after a small step", async () => {
    await insertLaunch(temp, "ONE");
    await lease(temp, "a");
    temp.clock.advance(-60_000);
    expect(await taken()).toBeNull();
    temp.clock.advance(-1);
    expect(await taken()).toBe("ONE");
  });
});

test("each lease moves a launch to the present day, until the launch is signed", async () => {
  const eventId = await insertLaunch(temp, "ONE");
  await lease(temp, "a");
  await temp.store.launches.postpone(eventId, "a", 0);
  temp.clock.set(Date.UTC(2026, 2, 2));
  expect((await lease(temp, "b"))?.day).toBe("2026-03-02");
  await temp.store.launches.recordAttempt(eventId, "b", newAttempt("ONE"));
  await temp.store.launches.postpone(eventId, "b", 0);
  temp.clock.set(Date.UTC(2026, 2, 3));
  expect((await lease(temp, "c"))?.day).toBe("2026-03-02");
});
