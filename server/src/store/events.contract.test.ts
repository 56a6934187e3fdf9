import { describe, expect, test } from "bun:test";
import type { EventRow } from "./events.ts";
import type { PreparedRow } from "./prepared.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newAttempt, newPaid } from "./testing/rows.ts";

const UNPAID = { payer: null, agentLamports: null };

describeStore("events", (at) => {
  const read = async (wallet = "agent", after: number | null = null, limit = 100) => {
    const found = await at.store.events.read(wallet, after, limit);
    if (found.kind === "gone") throw new Error(`events after ${after} are gone`);
    return found;
  };
  const typesOf = (events: readonly EventRow[]) => events.map(({ id, type }) => `${id} ${type}`);
  const withdraw = ({ id }: PreparedRow, reason: "refused" | "expired", leaseId = "holder") =>
    at.store.prepared.withdraw(id, leaseId, { at: at.now(), reason });

  /** Adds this many events of a wallet, one each millisecond. */
  const addFailed = async (count: number, wallet = "agent") => {
    for (let n = 0; n < count; n++) {
      await at.insertFailed(`${wallet.slice(0, 3)}${n}`.toUpperCase(), { wallet });
      await at.advance(1);
    }
  };

  test("each end of a launch adds its event, numbered for its wallet alone", async () => {
    const failed = await at.insertFailed("FAIL");
    await at.advance(1);
    const token = await at.insertToken("SUCC");
    await at.insertToken("OTHER", { wallet: "other" });
    await at.advance(1);
    const first = await at.take("RATE");
    const second = await at.insert("WAIT");
    await at.launches.refuse("agent", "holder", "launched_today");
    const none = { tokenMint: null, transactionHash: null, otherMints: [], ...UNPAID };
    expect(await read()).toEqual({
      kind: "events",
      last: 4,
      events: [
        {
          ...{ id: 1, type: "launch.failed", createdAt: at.now() - 2, eventId: failed },
          ...{ ticker: "FAIL", ...none },
        },
        {
          ...{ id: 2, type: "launch.succeeded", createdAt: at.now() - 1, eventId: token.eventId },
          ...{ ticker: "SUCC", ...none, tokenMint: token.tokenMint },
        },
        {
          ...{ id: 3, type: "launch.rate_limited", createdAt: at.now(), eventId: first.eventId },
          ...{ ticker: "RATE", ...none },
        },
        {
          ...{ id: 4, type: "launch.rate_limited", createdAt: at.now(), eventId: second },
          ...{ ticker: "WAIT", ...none },
        },
      ],
    });
    expect(typesOf((await read("other")).events)).toEqual(["1 launch.succeeded"]);
    expect(await read("stranger", 0)).toEqual({ kind: "events", events: [], last: 0 });
  });

  test("a launch that failed after it was signed names no token", async () => {
    const { eventId } = await at.take("ONE");
    await at.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
    await at.launches.fail(eventId, "holder", { message: "refused" });
    expect((await read()).events).toMatchObject([{ type: "launch.failed", tokenMint: null }]);
  });

  test("a claim that is confirmed and one that expired add an event of all their tokens, one that was refused none", async () => {
    const { eventId, tokenMint } = await at.insertToken("ONE");
    await at.advance(DAY_MS);
    const two = await at.insertToken("TWO");
    await withdraw(await at.submitted("refused"), "refused");
    const about = { eventId, ticker: "ONE", tokenMint, createdAt: at.now(), ...UNPAID };
    const expected = [];
    for (const [name, otherMints] of Object.entries({ one: [], both: [two.tokenMint] })) {
      const [late, paid] = [`expired ${name}`, `paid ${name}`];
      await withdraw(await at.submitted(late, { otherMints }), "expired");
      const submitted = await at.submitted(paid, { otherMints });
      await at.store.prepared.confirm(submitted, newPaid(`of ${paid}`, 5n, at.now()));
      expected.push(
        { type: "claim.expired", transactionHash: `of ${late}`, otherMints, ...about },
        { type: "claim.confirmed", transactionHash: `of ${paid}`, otherMints, ...about },
      );
    }
    const numbered = expected.map((event, n) => ({ id: n + 3, ...event }));
    expect((await read("agent", 2)).events).toEqual(numbered as EventRow[]);
  });

  test("what changes nothing adds no event", async () => {
    await at.insertToken("ONE");
    const claim = await at.submitted("hash");
    const paid = newPaid("of hash", 5n, at.now());
    await withdraw(claim, "expired", "stranger");
    await at.store.prepared.confirm(claim, paid);
    await at.store.prepared.confirm(claim, paid);
    await withdraw(claim, "expired");
    const two = await at.take("TWO");
    await at.launches.fail(two.eventId, "stranger", { message: "refused" });
    await at.launches.succeed(two, { leaseId: "stranger" }, newAttempt("TWO"));
    await at.launches.refuse("agent", "stranger", "launched_today");
    expect(typesOf((await read()).events)).toEqual(["1 launch.succeeded", "2 claim.confirmed"]);
  });

  test("a change that cannot be stored leaves no event and no gap", async () => {
    await at.insertToken("ONE", { wallet: "other" });
    const launch = await at.take("TWO");
    const taken = newAttempt("ONE");
    await expect(at.launches.succeed(launch, { leaseId: "holder" }, taken)).rejects.toThrow();
    expect(await read()).toEqual({ kind: "events", events: [], last: 0 });
    await at.launches.fail(launch.eventId, "holder", { message: "refused" });
    expect(typesOf((await read()).events)).toEqual(["1 launch.failed"]);
  });

  test("a page holds the events after its cursor, oldest first", async () => {
    await addFailed(3);
    await addFailed(2, "other");
    const ids = async (after: number | null, limit: number) =>
      (await read("agent", after, limit)).events.map(({ id }) => id);
    expect(await ids(null, 2)).toEqual([1, 2]);
    expect(await ids(0, 2)).toEqual([1, 2]);
    expect(await ids(2, 2)).toEqual([3]);
    expect(await ids(3, 2)).toEqual([]);
  });

  test("the time of a wallet's events does not go back if the clock does", async () => {
    await addFailed(1);
    await at.advance(-5_000);
    await addFailed(1, "other");
    await at.insertFailed("BACK");
    const [first, second] = (await read()).events;
    expect(second?.createdAt).toBe(first?.createdAt ?? 0);
    expect((await read("other")).events[0]?.createdAt).toBeLessThan(first?.createdAt ?? 0);
  });

  test("wallets that changed lately are found with their newest id", async () => {
    await addFailed(2);
    await at.advance(1_000);
    const later = at.now();
    await addFailed(1, "other");
    const changed = async (time: number) =>
      (await at.store.events.changedSince(time)).filter(({ wallet }) => wallet !== "unrelated");
    expect(await changed(later)).toEqual([{ wallet: "other", last: 1 }]);
    expect((await changed(0)).sort((a, b) => a.last - b.last)).toEqual([
      { wallet: "other", last: 1 },
      { wallet: "agent", last: 2 },
    ]);
    expect(await changed(at.now())).toEqual([]);
  });

  describe("that are forgotten", () => {
    /** Deletes only the tests' events, which are older than the other wallet's. */
    const forgetBefore = (time: number, limit = 100) => at.store.events.forget(time, limit);

    test("are the oldest, at most as many as asked for", async () => {
      const start = at.now();
      await at.setTime(start - DAY_MS * 9);
      await addFailed(5);
      await addFailed(2, "other");
      const until = start - DAY_MS * 8;
      await at.setTime(start);
      // Four newer events were stored before.
      expect(await forgetBefore(until, 4 + 3)).toBe(3);
      expect((await read()).events.map(({ id }) => id)).toEqual([4, 5]);
      expect((await read("other")).events).toHaveLength(2);
      expect(await forgetBefore(until, 100)).toBe(4);
      expect(await forgetBefore(until, 100)).toBe(0);
    });

    test("leave a cursor that says so, and the numbers go on", async () => {
      const start = at.now();
      await at.setTime(start - DAY_MS * 9);
      await addFailed(3);
      await forgetBefore(start - DAY_MS * 9 + 2);
      const { events } = at.store;
      expect(await events.read("agent", 1, 9)).toEqual({ kind: "gone", oldest: 2, last: 3 });
      expect(await events.read("agent", 0, 9)).toEqual({ kind: "gone", oldest: 2, last: 3 });
      expect((await read("agent", 2)).events.map(({ id }) => id)).toEqual([3]);
      expect((await read("agent", null)).events.map(({ id }) => id)).toEqual([3]);
      await forgetBefore(start - DAY_MS * 8);
      expect(await events.read("agent", 2, 9)).toEqual({ kind: "gone", oldest: 3, last: 3 });
      expect(await read("agent", 3)).toEqual({ kind: "events", events: [], last: 3 });
      await at.setTime(start);
      await at.insertFailed("NEXT");
      expect((await read("agent", 3)).events.map(({ id }) => id)).toEqual([4]);
    });
  });

  test("a cursor beyond the newest event is not known", async () => {
    await addFailed(2);
    expect(await at.store.events.read("agent", 3, 9)).toEqual({ kind: "gone", oldest: 0, last: 2 });
    expect(await at.store.events.read("stranger", 1, 9)).toMatchObject({ kind: "gone", oldest: 0 });
    for (const start of [0, null]) {
      expect(await read("stranger", start)).toEqual({ kind: "events", events: [], last: 0 });
    }
  });

  test("a reader that follows its cursor skips none while servers add events at once", async () => {
    await at.insertToken("ONE");
    const another = await at.database.openAnother();
    const all = Array.from({ length: 12 }, (_, n) => `hash ${n}`);
    const claims = await Promise.all(all.map((hash) => at.submitted(hash)));
    const paid = newPaid("s", 1n, at.now());
    const confirmed = Promise.all(
      claims.map((claim, n) => (n % 2 ? another : at.store).prepared.confirm(claim, paid)),
    );
    const seen: number[] = [];
    while (seen.length <= claims.length) {
      const { events } = await read("agent", seen.at(-1) ?? 0, 3);
      seen.push(...events.map(({ id }) => id));
    }
    await confirmed;
    expect(seen).toEqual(Array.from({ length: claims.length + 1 }, (_, n) => n + 1));
  });
});
