import { describe, expect, test } from "bun:test";
import { utcDay } from "../base/clock.ts";
import { UNKNOWN_WALLET } from "../domain/intake.ts";
import { type IntakeLimits, UNBOUNDED } from "../domain/intake-limits.ts";
import type { LaunchRow, NewLaunch } from "./launch-row.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS, START } from "./testing/engines.ts";
import { newAttempt, newLaunch } from "./testing/rows.ts";

const kinds = (outcomes: readonly { readonly kind: string }[]) => outcomes.map(({ kind }) => kind);
const withKey = (requestHash: string, eventId = "by the key") => ({ eventId, requestHash });
const atMost = (maxPending: number) => ({ ...UNBOUNDED, maxPending });
const MIDNIGHT = Date.UTC(2026, 2, 2);

describeStore("intake", (at) => {
  /** Stores one launch of each ticker, in one batch. @returns the outcome of each */
  const insert = async (
    tickers: readonly string[],
    limits: Partial<IntakeLimits> = {},
    other: Partial<NewLaunch> = {},
    store = at.store,
  ) => {
    const batch = tickers.map((ticker) => newLaunch(ticker, { createdAt: at.now(), ...other }));
    return kinds(await store.launches.insert(batch, { ...UNBOUNDED, ...limits }));
  };
  const retry = at.retry;
  const statusOf = async (eventId: string) =>
    (await at.launches.find("agent", eventId))?.status ?? null;

  test("texts with any characters are read as they were written", async () => {
    const text = "🚀 Ünïcode\u{F8FF} '; drop table launches; --\\";
    const texts = { name: text, onChainName: text, description: text, imageUrl: text };
    await at.insert("ALPHA", texts);
    const launch = await at.lease("a");
    expect(launch).toMatchObject(texts);
    if (!launch) throw new Error("it is due");
    await at.launches.succeed(launch, { leaseId: "a" }, { tokenMint: "mint", poolAddress: "pool" });
    expect(await at.store.tokens.findAny("mint")).toMatchObject({ name: text });
    expect(await at.store.tokens.metadata("mint")).toMatchObject({ name: text, description: text });
    const failed = await at.take("BETA", "b", { wallet: "other" });
    await at.launches.fail(failed.eventId, "b", { message: text });
    expect(await at.launches.find("other", failed.eventId)).toMatchObject({ error: text });
  });

  test("a batch is leased in the order of its requests, without those whose ticker is taken", async () => {
    const outcomes = await insert(["ZZ", "MM", "MM", "AA"]);
    expect(outcomes).toEqual(["stored", "stored", "ticker_taken", "stored"]);
    for (const ticker of ["ZZ", "MM", "AA"]) {
      const launch = await at.lease(ticker);
      expect(launch?.ticker).toBe(ticker);
      await at.launches.fail(launch?.eventId ?? "", ticker, { message: "refused" });
    }
  });

  describe("an idempotency key", () => {
    test("stores the same request once, in a batch and later", async () => {
      const launches = [1, 2, 3].map(() => newLaunch("ALPHA", withKey("hash")));
      expect(await at.launches.insert(launches.slice(0, 2))).toEqual([
        { kind: "stored" },
        { kind: "replayed" },
      ]);
      expect(await at.launches.insert(launches.slice(2))).toEqual([{ kind: "replayed" }]);
      expect((await at.launches.backlog()).depth).toBe(1);
    });

    test("is answered while the queue is full and the budget is spent, and another wallet may use it", async () => {
      const known = newLaunch("AA", withKey("hash"));
      const budget = { maxDailyLamports: 1n, launchLamports: 2n };
      await at.launches.insert([known], atMost(1));
      const other = newLaunch("BB", withKey("other"));
      expect(kinds(await at.launches.insert([known, other], { ...atMost(1), budget }))).toEqual([
        "replayed",
        "key_reused",
      ]);
      const theirs = newLaunch("BB", { ...withKey("other", "by theirs"), wallet: "other" });
      expect(await at.launches.insert([theirs])).toEqual([{ kind: "stored" }]);
    });
  });

  describe("the queue's room", () => {
    test("takes as many launches as its limit, in one batch or in several, at any server that shares it", async () => {
      const other = at.store.isShared ? await at.database.openAnother() : at.store;
      expect(await insert(["AA"], { maxPending: 4 })).toEqual(["stored"]);
      expect(await insert(["BB", "CC"], { maxPending: 4 }, {}, other)).toEqual([
        "stored",
        "stored",
      ]);
      expect(await insert(["DD", "EE"], { maxPending: 4 })).toEqual(["stored", "queue_full"]);
      expect(await insert(["EE"], { maxPending: 4 }, {}, other)).toEqual(["queue_full"]);
      expect((await at.launches.backlog()).depth).toBe(4);
    });

    test("is made by a launch that leaves the queue", async () => {
      const launch = await at.take("AA", "lease");
      expect(await insert(["BB"], { maxPending: 1 })).toEqual(["queue_full"]);
      await at.launches.fail(launch.eventId, "lease", { message: "refused" });
      expect(await insert(["BB", "CC"], { maxPending: 1 })).toEqual(["stored", "queue_full"]);
    });
  });

  test("the daily limit of an agent starts again at midnight UTC, and still holds if the clock steps back", async () => {
    const limits = { maxOfAgent: 2 };
    const usedUp = ["stored", "agent_launch_limit"];
    await at.setTime(MIDNIGHT - 1);
    expect(await insert(["A1"], limits)).toEqual(["stored"]);
    expect(await insert(["A2", "A3"], limits)).toEqual(usedUp);
    expect(await insert(["B1"], limits, { wallet: "other" })).toEqual(["stored"]);
    await at.advance(1);
    expect(await insert(["A3"], limits)).toEqual(["stored"]);
    expect(await insert(["A4", "A5"], limits)).toEqual(usedUp);
    await at.advance(-1);
    expect(await insert(["A5"], limits)).toEqual(["agent_launch_limit"]);
  });

  describe("the daily limit of an address", () => {
    const limits = { maxOfAddress: 2 };
    const address = "192.0.2.1";

    test("counts launches and retries of all its agents, and of no other address", async () => {
      const failed = await at.insertFailed("FAILED");
      expect(await insert(["A1"], limits, { address })).toEqual(["stored"]);
      expect(await retry(failed, { ...limits, address })).toBe("stored");
      expect(await insert(["A2"], limits, { address, wallet: "other" })).toEqual([
        "address_launch_limit",
      ]);
      expect(await insert(["A2"], limits, { address: "192.0.2.2" })).toEqual(["stored"]);
      expect(await insert(["A3"], limits, { address: null })).toEqual(["stored"]);
    });

    test("survives a restart, and keeps yesterday's count", async () => {
      expect(await insert(["A1", "A2", "A3"], limits, { address })).toEqual([
        "stored",
        "stored",
        "address_launch_limit",
      ]);
      const other = await at.database.openAnother();
      expect(await insert(["A3"], limits, { address }, other)).toEqual(["address_launch_limit"]);
      // The clock may step back.
      await at.advance(DAY_MS);
      expect(await insert(["B1"], limits, { address })).toEqual(["stored"]);
      await at.advance(-DAY_MS);
      expect(await insert(["B2"], limits, { address })).toEqual(["address_launch_limit"]);
    });
  });

  test("an address's share of the queue has room again when a launch leaves the queue, and counts a retry for the address that retries", async () => {
    const limits = { maxPending: 100, shares: { address: 1, network: 0 } };
    const address = "192.0.2.1";
    const failed = await at.insertFailed("FAILED", { address: "192.0.2.9" });
    expect(await insert(["A1", "A2"], limits, { address })).toEqual(["stored", "queue_share_used"]);
    expect(await retry(failed, { ...limits, address })).toBe("queue_share_used");
    expect(await retry(failed, { ...limits, address: "192.0.2.2" })).toBe("stored");
    expect(await insert(["B1"], limits, { address: "192.0.2.2" })).toEqual(["queue_share_used"]);
    expect(await insert(["B1"], limits, { address: "192.0.2.9" })).toEqual(["stored"]);
    expect((await at.lease("first"))?.eventId).toBe(failed);
    await at.launches.refuse("agent", "first", "launched_today");
    expect(await insert(["C1", "C2"], limits, { address })).toEqual(["stored", "queue_share_used"]);
  });

  describe("the daily budget", () => {
    const budget = { maxDailyLamports: 100n, launchLamports: 10n };
    const shares = { address: 1, network: 20 };
    /** Requests this many launches, each of another agent. @returns the outcome of each */
    const insertAll = async (count: number, address: string | null) => {
      const batch = Array.from({ length: count }, () => {
        const eventId = crypto.randomUUID();
        const ticker = eventId.slice(0, 10);
        return newLaunch(ticker, { eventId, wallet: eventId, createdAt: at.now(), address });
      });
      const limits = { ...UNBOUNDED, maxOfAddress: 10, shares, budget };
      return kinds(await at.launches.insert(batch, limits));
    };
    const stored = async (count: number, address: string | null) =>
      (await insertAll(count, address)).filter((kind) => kind === "stored").length;
    /** Reserves 10 lamports for a pending launch. @returns whether it succeeded */
    const launch = async () => {
      const leaseId = crypto.randomUUID();
      const leased = await at.lease(leaseId);
      if (!leased) throw new Error("nothing is due");
      const terms = { leaseId, maxDailyLamports: 100n, shares: { maxOfAddress: 10, shares } };
      const { eventId: id } = leased;
      const kind = await at.reserve(id, 10n, terms).then(
        (outcome) => outcome.kind,
        (error) => error.reason ?? Promise.reject(error),
      );
      if (kind === "reserved") {
        await at.launches.succeed(leased, { leaseId }, { tokenMint: id, poolAddress: id });
      } else await at.launches.postpone(id, leaseId, { delayMs: 60_000 });
      return kind;
    };

    test("is committed by launches that wait, one after another and at once", async () => {
      expect(await insertAll(11, null)).toEqual([
        ...Array(10).fill("stored"),
        "daily_budget_spent",
      ]);
      expect(await launch()).toBe("reserved");
      expect(await stored(2, null)).toBe(0);
      const leased = await at.lease("lease");
      await at.launches.cancel(leased?.wallet ?? "", leased?.eventId ?? "", "cancelled");
      expect(await stored(2, null)).toBe(1);
      await at.advance(DAY_MS);
      // Nine wait for the new day, so one place is left of its ten.
      expect(await stored(2, null)).toBe(1);
    });

    test("gives a network its share of a day, and others the rest, on each day", async () => {
      const network = (n: number) => `2001:db8:0:${n.toString(16)}::/64`;
      const attack = async () => {
        let accepted = 0;
        for (let n = 0; n < 20; n++) accepted += await stored(5, network(n));
        return accepted;
      };
      expect(await attack()).toBe(2);
      expect((await insertAll(1, network(99)))[0]).toBe("budget_share_used");
      expect(await stored(1, "192.0.2.1")).toBe(1);
      for (let n = 0; n < 3; n++) expect(await launch()).toBe("reserved");
      expect(await attack()).toBe(0);
      expect(await stored(1, "192.0.3.1")).toBe(1);
      await at.advance(DAY_MS);
      expect(await attack()).toBe(2);
      expect(await at.launches.spentToday()).toBe(0n);
    });

    test("lets the worker start no more of a network than its share, also of those accepted before", async () => {
      const batch = ["ONE", "TWO", "THREE"].map((ticker) =>
        newLaunch(ticker, { wallet: ticker, createdAt: at.now(), address: "192.0.2.1" }),
      );
      await at.launches.insert(batch);
      await at.insert("OTHER", { wallet: "other", address: "192.0.3.1" });
      const outcomes = [await launch(), await launch(), await launch(), await launch()];
      expect(outcomes).toEqual(["reserved", "reserved", "share_used", "reserved"]);
      await at.advance(DAY_MS);
      expect(await launch()).toBe("reserved");
    });
  });

  test("what addresses have launched is kept for two days, also if no limit counts their requests", async () => {
    const days: string[] = [];
    for (const ticker of ["ONE", "TWO", "THREE"]) {
      await at.insertToken(ticker, { wallet: ticker, address: "192.0.2.1" });
      days.push(utcDay(at.now()));
      await at.advance(2 * DAY_MS);
    }
    const kept = await at.database.select("select distinct day from daily_launches");
    expect(kept).toEqual([{ day: days.at(-1) }]);
  });

  describe("a ticker", () => {
    test("goes from a failed launch to another one a day later, and not a moment before", async () => {
      const failed = await at.insertFailed("WANTED");
      await at.advance(DAY_MS - 1);
      expect(await insert(["WANTED"], {}, { wallet: "other" })).toEqual(["ticker_taken"]);
      await at.advance(1);
      expect(await insert(["WANTED", "WANTED"], {}, { wallet: "other" })).toEqual([
        "stored",
        "ticker_taken",
      ]);
      expect(await retry(failed)).toBe("ticker_taken");
      expect(await statusOf(failed)).toBe("failed");
    });

    test("stays with its launch if the request for it is refused for another reason", async () => {
      const failed = await at.insertFailed("KEPT");
      await at.advance(2 * DAY_MS);
      expect(await insert(["KEPT"], { maxPending: 0 }, { wallet: "other" })).toEqual([
        "queue_full",
      ]);
      expect(await insert(["OTHER"])).toEqual(["stored"]);
      expect(await retry(failed)).toBe("stored");
    });
  });

  describe("a retry", () => {
    test("puts a launch back in the queue as new", async () => {
      const { eventId } = await at.take("ONE");
      await at.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
      await at.launches.refuse("agent", "holder", "launched_today");
      await at.advance(1_000);
      expect(await retry(eventId)).toBe("stored");
      expect(await at.launches.find("agent", eventId)).toEqual({
        ...{ eventId, ticker: "ONE", status: "pending", createdAt: at.now() - 1_000 },
        ...{ processedAt: null, error: null, tokenMint: null, poolAddress: null },
        ...{ payer: null, agentLamports: null, signBy: null },
        wait: { reason: "queue", since: at.now() },
      });
      const unsigned = { eventId, signature: null, transaction: null };
      expect(await at.lease("next")).toMatchObject(unsigned);
    });

    test("puts back only its own launch, behind those that came after it", async () => {
      const one = await at.insertFailed("ONE");
      const two = await at.insertFailed("TWO");
      await at.advance(1_000);
      await at.insert("OTHER", { wallet: "other" });
      await at.advance(1_000);
      expect(await retry(two)).toBe("stored");
      expect(await at.launches.find("agent", one)).toMatchObject({
        status: "failed",
        processedAt: START,
      });
      expect((await at.lease("a"))?.ticker).toBe("OTHER");
      expect((await at.lease("b"))?.ticker).toBe("TWO");
    });

    test("is refused for a pending launch, for a token, and for another wallet's launch", async () => {
      const { eventId } = await at.insertToken("DONE");
      const foreign = await at.insertFailed("GONE", { wallet: "other" });
      const pending = await at.insert("ONE");
      expect(await retry(eventId)).toBe("not_ended");
      expect(await retry(pending)).toBe("not_ended");
      expect(await retry(foreign)).toBe("unknown");
      expect((await at.launches.backlog()).depth).toBe(1);
    });
  });

  test("the backlog counts pending launches and knows since when the oldest waits", async () => {
    expect(await at.launches.backlog()).toEqual({ depth: 0, oldestQueuedAt: null });
    const failed = await at.insertFailed("RETRIED", { wallet: "third" });
    await at.advance(60_000);
    await at.retry(failed, { wallet: "third" });
    expect(await at.launches.backlog()).toEqual({ depth: 1, oldestQueuedAt: at.now() });
    await at.lease("third");
    await at.take("ONE");
    await at.insert("TWO", { createdAt: 5 });
    await at.insertToken("DONE", { wallet: "other" });
    expect(await at.launches.backlog()).toEqual({ depth: 3, oldestQueuedAt: 5 });
  });
});

const COUNTED = { ...UNBOUNDED, maxOfAddress: 100 };

describeStore("the state of the intake", (at) => {
  const read = (
    ticker: string | null = null,
    wallet = "agent",
    address: string | null = null,
    now = at.now(),
  ) => at.launches.intakeState({ wallet, ticker, address, now });
  const insertFrom = (ticker: string, wallet: string, address: string) =>
    at.launches.insert([newLaunch(ticker, { wallet, address, createdAt: at.now() })], COUNTED);

  test("of a wallet that has done nothing is empty", async () => {
    await at.advance(2 * DAY_MS);
    expect(await read("FREE")).toEqual({
      ...{ ofAgent: 0, pendingOfAgent: 0, hasLaunchedToday: false },
      ofAgents: { address: 0, network: 0, total: 0 },
      ...{ ofAddress: 0, pending: { address: 0, network: 0, total: 0 } },
      ...{ launched: { address: 0, network: 0 }, spending: { lamports: 0n, reserved: 0 } },
      ...{ standing: UNKNOWN_WALLET, places: { isAmong: false, used: {} } },
      ...{ tickerOwner: null },
    });
  });

  test("counts what agent, address and network launched today, and what is pending", async () => {
    await insertFrom("ONE", "agent", "192.0.2.1");
    await insertFrom("TWO", "other", "192.0.2.1");
    await insertFrom("THREE", "third", "192.0.2.2");
    const launch = (await at.lease("lease")) as LaunchRow;
    await at.launches.succeed(launch, { leaseId: "lease" }, newAttempt("ONE"));
    const mine = await read(null, "agent", "192.0.2.1");
    expect(mine).toMatchObject({
      ...{ ofAgent: 1, pendingOfAgent: 0, hasLaunchedToday: true, ofAddress: 2 },
      ...{ pending: { address: 1, network: 2, total: 2 }, launched: { address: 1, network: 1 } },
    });
    expect(await read(null, "other", "192.0.2.9")).toMatchObject({
      ...{ ofAgent: 1, pendingOfAgent: 1, hasLaunchedToday: false, ofAddress: 0 },
      ...{ pending: { address: 0, network: 2, total: 2 }, launched: { address: 0, network: 1 } },
    });
    expect(await read(null, "stranger", "192.0.3.1")).toMatchObject({
      ...{ ofAgent: 0, pendingOfAgent: 0, hasLaunchedToday: false, ofAddress: 0 },
      ...{ pending: { address: 0, network: 0, total: 2 }, launched: { address: 0, network: 0 } },
    });
    const today = at.now();
    await at.advance(DAY_MS);
    await insertFrom("NEXT", "agent", "192.0.2.1");
    expect(await read(null, "agent", "192.0.2.1")).toMatchObject({
      ...{ ofAgent: 1, pendingOfAgent: 1, hasLaunchedToday: false, ofAddress: 1 },
      ...{ pending: { address: 2, network: 3, total: 3 }, launched: { address: 0, network: 0 } },
    });
    const before = await read(null, "agent", "192.0.2.1", today);
    expect(before).toMatchObject({ ofAgent: 1, ofAddress: 2 });
  });

  test("names the launch that has a ticker, and when it ended without a token", async () => {
    const pending = await at.insert("PENDING", { wallet: "other" });
    expect((await read("PENDING")).tickerOwner).toEqual({
      ...{ eventId: pending, wallet: "other", status: "pending", endedAt: null },
    });
    await at.lease("their lease");
    await at.launches.fail(pending, "their lease", { message: "refused" });
    expect((await read("PENDING")).tickerOwner).toMatchObject({
      ...{ eventId: pending, status: "failed", endedAt: at.now() },
    });
    const { eventId } = await at.insertToken("DONE");
    expect((await read("DONE")).tickerOwner).toEqual({
      ...{ eventId, wallet: "agent", status: "success", endedAt: null },
    });
    expect((await read("pending")).tickerOwner).toBeNull();
    expect((await read()).tickerOwner).toBeNull();
  });

  test("has what the day's launches took or set aside", async () => {
    await at.reserve((await at.take("ONE")).eventId, 70n);
    expect(await read()).toMatchObject({ spending: { lamports: 70n, reserved: 1 } });
    await at.advance(DAY_MS);
    expect(await read()).toMatchObject({ spending: { lamports: 0n, reserved: 0 } });
  });
});
