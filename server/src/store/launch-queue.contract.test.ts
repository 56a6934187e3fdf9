import { describe, expect, test } from "bun:test";
import { LEASE_MS } from "../testing/launches.ts";
import { describeStore } from "./testing/contract.ts";
import { START, TODAY } from "./testing/engines.ts";
import { newAttempt } from "./testing/rows.ts";

describeStore("the queue", (at) => {
  const taken = async (leaseId: string = crypto.randomUUID()) =>
    (await at.lease(leaseId))?.ticker ?? null;

  test("a lease takes the oldest launch that is due, and counts the attempt", async () => {
    await at.insert("ONE", { wallet: "a" });
    await at.insert("TWO", { wallet: "b" });
    const launch = await at.lease("lease");
    expect(launch).toMatchObject({
      ticker: "ONE",
      wallet: "a",
      status: "pending",
      createdAt: START,
      attempts: 1,
      day: TODAY,
      signature: null,
      transaction: null,
    });
    expect(await taken()).toBe("TWO");
    expect(await taken()).toBeNull();
  });

  describe("of one wallet", () => {
    test("launches are leased one at a time and in order", async () => {
      const one = await at.insert("ONE");
      await at.insert("TWO");
      await at.insert("OTHER", { wallet: "other" });
      expect(await taken("a")).toBe("ONE");
      expect(await taken()).toBe("OTHER");
      expect(await taken()).toBeNull();
      await at.launches.fail(one, "a", { message: "refused" });
      expect(await taken()).toBe("TWO");
    });

    test("a launch that was put off holds up those behind it, and no other wallet's", async () => {
      const one = await at.insert("ONE");
      await at.insert("TWO");
      await at.lease("a");
      await at.launches.postpone(one, "a", { delayMs: 5_000 });
      await at.insert("OTHER", { wallet: "other" });
      expect(await taken()).toBe("OTHER");
      await at.advance(4_999);
      expect(await taken()).toBeNull();
      await at.advance(1);
      expect(await taken()).toBe("ONE");
    });

    test("an older launch that is retried waits for the leased one, then goes first", async () => {
      const one = await at.insert("ONE");
      const two = await at.insert("TWO");
      await at.lease("a");
      await at.launches.fail(one, "a", { message: "refused" });
      expect(await taken("b")).toBe("TWO");
      await at.retry(one);
      expect(await taken()).toBeNull();
      await at.launches.postpone(two, "b", { delayMs: 0 });
      expect(await taken()).toBe("ONE");
    });

    test("a launch whose transaction is undecided goes before all others", async () => {
      const one = await at.insert("ONE");
      const two = await at.insert("TWO");
      await at.lease("a");
      await at.launches.fail(one, "a", { message: "refused" });
      await at.lease("b");
      await at.launches.recordAttempt(two, "b", newAttempt("TWO"));
      await at.launches.postpone(two, "b", { delayMs: 5_000 });
      await at.retry(one);
      expect(await taken()).toBeNull();
      await at.advance(5_000);
      expect(await taken()).toBe("TWO");
    });
  });

  test("the next launch of a wallet goes behind all that wait once one of its own has failed", async () => {
    const one = await at.insert("ONE");
    await at.insert("TWO");
    await at.advance(1_000);
    await at.insert("THEIRS", { wallet: "other" });
    await at.lease("a");
    await at.advance(1_000);
    await at.launches.fail(one, "a", { message: "refused" });
    expect([await taken(), await taken()]).toEqual(["THEIRS", "TWO"]);
  });

  test("a launch whose transaction is undecided goes before older ones of other wallets", async () => {
    const signed = await at.take("SIGNED", "a", { wallet: "signer" });
    await at.launches.recordAttempt(signed.eventId, "a", newAttempt("SIGNED"));
    await at.insert("OLDER", { wallet: "other" });
    await at.advance(1_000);
    await at.launches.postpone(signed.eventId, "a", { delayMs: 0 });
    expect(await taken("b")).toBe("SIGNED");
    expect(await taken("c")).toBe("OLDER");
  });

  describe("a lease", () => {
    test("passes to another worker once it has run out, renewed or not, and not before", async () => {
      const eventId = await at.insert("ONE");
      await at.lease("first");
      await at.advance(50_000);
      expect(await at.launches.renew(eventId, "first", LEASE_MS)).toBe(true);
      await at.advance(LEASE_MS - 1);
      expect(await taken()).toBeNull();
      await at.advance(1);
      expect(await at.lease("second")).toMatchObject({ ticker: "ONE", attempts: 2 });
      expect(await at.launches.renew(eventId, "first", LEASE_MS)).toBe(false);
      expect(await at.launches.fail(eventId, "first", { message: "refused" })).toBe(false);
    });

    test("that has run out still holds up the wallet's next launch", async () => {
      await at.insert("ONE");
      await at.insert("TWO");
      await at.lease("a");
      await at.advance(LEASE_MS);
      expect(await taken()).toBe("ONE");
      expect(await taken()).toBeNull();
    });

    test("of an earlier process ends at the start of the next, unless other servers may hold it", async () => {
      await at.insert("ONE", { wallet: "a" });
      await at.insert("TWO", { wallet: "b" });
      const done = await at.insert("DONE", { wallet: "c" });
      for (const id of ["a", "b", "c"]) await at.lease(id);
      await at.launches.fail(done, "c", { message: "refused" });
      const isShared = at.store.isShared;
      expect(await at.launches.recover()).toBe(isShared ? 0 : 2);
      expect([await taken(), await taken(), await taken()]).toEqual(
        isShared ? [null, null, null] : ["ONE", "TWO", null],
      );
    });
  });

  test("each lease moves a launch to the present day, until its attempt is stored with all its fields", async () => {
    const eventId = await at.insert("ONE");
    await at.lease("a");
    await at.launches.postpone(eventId, "a", { delayMs: 0 });
    await at.setTime(Date.UTC(2026, 2, 2));
    expect((await at.lease("b"))?.day).toBe("2026-03-02");
    await at.launches.recordAttempt(eventId, "b", newAttempt("ONE"));
    await at.launches.postpone(eventId, "b", { delayMs: 0 });
    await at.setTime(Date.UTC(2026, 2, 3));
    const again = await at.lease("c");
    const { terms: _, transaction, ...attempt } = newAttempt("ONE");
    expect(again).toMatchObject({ ...attempt, day: "2026-03-02" });
    expect(again?.transaction && [...again.transaction]).toEqual([...transaction]);
  });
});
