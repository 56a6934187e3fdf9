import { describe, expect, test } from "bun:test";
import { LeaseLostError } from "../domain/journal.ts";
import { LEASE_MS } from "../testing/launches.ts";
import type { LaunchRow } from "./launch-row.ts";
import type { TestStore } from "./testing/contract.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS, TODAY } from "./testing/engines.ts";
import { newAttempt, WHOLE_LIST } from "./testing/rows.ts";

const TOKEN = { tokenMint: "mint", poolAddress: "pool" };
const TOMORROW = "2026-03-02";

/** @returns the columns of a launch that only the queue needs */
async function queuedOf(at: TestStore, eventId: string) {
  const [row] = await at.database.select(
    `select signature, "transaction", address, lease_id, lease_until, reserved_lamports, reserved_day
     from launches where event_id = '${eventId}'`,
  );
  return row;
}

describeStore(
  "outcomes",
  (at) => {
    const find = (eventId: string) => at.launches.find("agent", eventId);

    test("a launch that succeeds has its token", async () => {
      const launch = await at.take("ONE");
      const { tokenMint, poolAddress } = newAttempt("ONE");
      await at.advance(5);
      expect(
        await at.launches.succeed(launch, { leaseId: "holder" }, { tokenMint, poolAddress }),
      ).toBe(true);
      expect(await find(launch.eventId)).toMatchObject({
        status: "success",
        processedAt: at.now(),
        error: null,
        tokenMint,
        poolAddress,
      });
      expect(await at.store.tokens.find("agent", tokenMint)).toMatchObject({
        tokenMint,
        poolAddress,
        eventId: launch.eventId,
        wallet: "agent",
        ticker: "ONE",
        name: "ONE token",
        deployedAt: at.now(),
        claimedAt: null,
        claimedTo: null,
      });
    });

    test("a worker that does not hold the lease changes nothing", async () => {
      const launch = await at.take("ONE");
      const { launches } = at;
      const id = launch.eventId;
      await at.reserve(id, 5n);
      const spent = await launches.spentToday();
      const before = await queuedOf(at, id);
      expect(await launches.succeed(launch, { leaseId: "stranger" }, TOKEN)).toBe(false);
      expect(await launches.fail(id, "stranger", { message: "no" })).toBe(false);
      expect(await launches.postpone(id, "stranger", { delayMs: 1 })).toBe(false);
      expect(await launches.renew(id, "stranger", 1)).toBe(false);
      await expect(launches.recordAttempt(id, "stranger", newAttempt("ONE"))).rejects.toThrow(
        LeaseLostError,
      );
      await expect(at.reserve(id, 5n, { leaseId: "stranger" })).rejects.toThrow(LeaseLostError);
      await launches.settle(id, "stranger", 1n);
      await launches.refuse("agent", "stranger", "launched_today");
      expect(await queuedOf(at, id)).toEqual(before);
      expect(await launches.spentToday()).toBe(spent);
      expect(await find(id)).toMatchObject({ status: "pending", processedAt: null });
      expect((await at.store.tokens.page("agent", WHOLE_LIST)).rows).toEqual([]);
      expect(await launches.postpone(id, "holder", { delayMs: 0 })).toBe(true);
      expect(await at.lease("next")).toMatchObject({ signature: null, attempts: 2 });
    });

    describe("the limit of one launch a day", () => {
      test("counts a launch that succeeded, for its wallet and its day", async () => {
        await at.insertToken("ONE");
        expect(await at.launches.startRefusal("agent", TODAY)).toBe("launched_today");
        expect(await at.launches.startRefusal("agent", TOMORROW)).toBeNull();
        expect(await at.launches.startRefusal("other", TODAY)).toBeNull();
      });

      test("lets the launch that was signed be signed again, and another one after it failed", async () => {
        const one = await at.take("ONE");
        const record = (eventId: string, ticker: string) =>
          at.launches.recordAttempt(eventId, "holder", newAttempt(ticker));
        await record(one.eventId, "ONE");
        await record(one.eventId, "ONE");
        await at.launches.fail(one.eventId, "holder", { message: "refused" });
        const two = await at.take("TWO");
        await record(two.eventId, "TWO");
      });

      test.each([
        ["launched_today", "rate_limited", /already launched/],
        ["blocked", "failed", /blocked/],
      ] as const)(
        "%s ends the leased launch and all that wait behind it",
        async (refusal, status, error) => {
          const done = await at.insertToken("DONE");
          const one = await at.take("ONE");
          const two = await at.insert("TWO");
          const other = await at.insert("OTHER", { wallet: "other" });
          await at.advance(1);
          await at.launches.refuse("agent", "holder", refusal);
          for (const eventId of [one.eventId, two]) {
            expect(await find(eventId)).toMatchObject({
              ...{ status, processedAt: at.now(), error: expect.stringMatching(error) },
            });
          }
          expect((await find(done.eventId))?.status).toBe("success");
          expect((await at.launches.find("other", other))?.status).toBe("pending");
          expect((await at.launches.backlog()).depth).toBe(2);
        },
      );

      test("does not end a launch that was signed and waits for its outcome", async () => {
        const signed = await at.take("ONE");
        await at.launches.recordAttempt(signed.eventId, "holder", newAttempt("ONE"));
        await at.launches.postpone(signed.eventId, "holder", { delayMs: 0 });
        await at.launches.refuse("agent", "stranger", "launched_today");
        expect((await find(signed.eventId))?.status).toBe("pending");
      });
    });
  },
  { isOtherPending: true },
);

describeStore("outcomes from day to day", (at) => {
  test("a launch that has ended keeps its signature and what its token took, and nothing else of the queue", async () => {
    const ends: Record<string, (launch: LaunchRow) => Promise<unknown>> = {
      success: (launch) =>
        at.launches.succeed(launch, { leaseId: "holder" }, newAttempt(launch.ticker)),
      failed: ({ eventId }) => at.launches.fail(eventId, "holder", { message: "refused" }),
      rate_limited: () => at.launches.refuse("agent", "holder", "launched_today"),
    };
    for (const [end, settle] of Object.entries(ends)) {
      await at.advance(DAY_MS);
      const ticker = end.slice(0, 4).toUpperCase();
      const launch = await at.take(ticker, "holder", { address: "192.0.2.1" });
      const attempt = newAttempt(ticker);
      await at.reserve(launch.eventId, 3n);
      await at.launches.recordAttempt(launch.eventId, "holder", attempt);
      expect(await queuedOf(at, launch.eventId)).toMatchObject({
        signature: attempt.signature,
        address: "192.0.2.1",
        lease_id: "holder",
        reserved_day: launch.day,
      });
      await settle(launch);
      expect((await at.launches.find("agent", launch.eventId))?.status).toBe(
        end as LaunchRow["status"],
      );
      // The reserved lamports may have been spent.
      expect(await at.launches.spentToday()).toBe(3n);
      expect(await queuedOf(at, launch.eventId)).toEqual({
        signature: attempt.signature,
        transaction: null,
        address: null,
        lease_id: null,
        lease_until: null,
        // The cost of the token.
        reserved_lamports: end === "success" ? "3" : null,
        reserved_day: null,
      });
    }
  });

  test("the limit of one launch a day counts a launch for the day in which it was signed last", async () => {
    const launch = await at.take("ONE");
    await at.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"));
    await at.advance(DAY_MS);
    await at.launches.renew(launch.eventId, "holder", LEASE_MS);
    await at.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"));
    await at.launches.succeed(launch, { leaseId: "holder" }, newAttempt("ONE"));
    expect(await at.launches.startRefusal("agent", TODAY)).toBeNull();
    expect(await at.launches.startRefusal("agent", TOMORROW)).toBe("launched_today");
  });

  test("the limit of one launch a day keeps a second launch of the day from being signed, and no other wallet's", async () => {
    await at.insertToken("ONE");
    const two = await at.take("TWO");
    await expect(
      at.launches.recordAttempt(two.eventId, "holder", newAttempt("TWO")),
    ).rejects.toThrow("launched_today");
    expect(await queuedOf(at, two.eventId)).toMatchObject({ signature: null, lease_id: "holder" });
    const other = await at.take("OTHER", "other", { wallet: "other" });
    await at.launches.recordAttempt(other.eventId, "other", newAttempt("OTHER"));
    await at.advance(DAY_MS);
    await at.lease("holder");
    await at.launches.recordAttempt(two.eventId, "holder", newAttempt("TWO"));
  });
});
