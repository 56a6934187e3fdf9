import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../base/clock.ts";
import { type IntakeLimits, UNBOUNDED } from "../domain/intake-limits.ts";
import type { StartRefusedError } from "../domain/journal.ts";
import type { EventRow } from "./events.ts";
import type { LaunchRow } from "./launch-row.ts";
import type { PreparedLaunch } from "./prepared.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS, TODAY } from "./testing/engines.ts";
import { newAttempt, newLaunch } from "./testing/rows.ts";

const WITHIN_MS = UNBOUNDED.signWithinMs;
const CHANGE = { actor: "ops", action: "change", subject: null, detail: null, reason: null };
const ADDRESS = "192.0.2.1";

describeStore("launches that agents pay for", (at) => {
  const hold = ({ id }: PreparedLaunch, leaseId = "holder") => ({ id, leaseId });
  const read = async ({ wallet, eventId }: PreparedLaunch) =>
    (await at.launches.read(wallet, eventId)) as LaunchRow;
  const signed = async (...launch: Parameters<typeof at.handOutLaunch>) => {
    const row = await at.handOutLaunch(...launch);
    await at.submit(row);
    return row;
  };
  const starting = (row: PreparedLaunch, maxPerHour = Number.POSITIVE_INFINITY) =>
    at.submit(row, { leaseId: `of ${row.messageHash}`, maxPerHour }).then(
      () => "started",
      ({ reason }: StartRefusedError) => reason,
    );
  const fail = (row: PreparedLaunch, agentLamports?: bigint) =>
    at.launches.endPaid(row.eventId, hold(row), { status: "failed", error: "no", agentLamports });
  const retry = ({ wallet, eventId }: PreparedLaunch, limits: Partial<IntakeLimits> = {}) =>
    at.retry(eventId, { wallet, ...limits });

  test("keep what they buy, and are marked as signed with the bytes that are stored", async () => {
    const firstBuy = { lamports: 1_500_000_001n, minUnits: 9_007_199_254_740_993n };
    const row = await at.handOutLaunch("PAID", { firstBuy });
    expect(await read(row)).toMatchObject({ payer: "agent", firstBuy, signature: null });
    expect(await starting(row)).toBe("started");
    expect(await read(row)).toMatchObject({
      ...{ signature: "of PAID", day: TODAY, transaction: null },
      ...{ tokenMint: "mint-PAID", poolAddress: "pool-PAID", signBy: at.now() + WITHIN_MS },
    });
    expect(await at.launches.find("agent", row.eventId)).toMatchObject({
      ...{ agentLamports: 25_000_000n, wait: { reason: "confirmation", since: at.now() } },
    });
    expect(await at.store.prepared.read(row.id)).toMatchObject({ status: "submitted" });
  });

  test("have no place in the worker's queue, signed or not", async () => {
    await at.handOutLaunch("UNSIGNED", { wallet: "unsigned" });
    await signed("SIGNED");
    await at.advance(1_000);
    await at.insert("OPERATOR", { wallet: "third" });
    expect(await at.launches.backlog()).toEqual({ depth: 1, oldestQueuedAt: at.now() });
    expect((await at.lease("worker"))?.ticker).toBe("OPERATOR");
    expect(await at.lease("worker")).toBeNull();
  });

  describe("are not started, and nothing is stored,", () => {
    const reasons: readonly [string, string, (row: PreparedLaunch) => Promise<unknown>][] = [
      ["not_waiting", "if they have ended", (it) => at.launches.cancel("agent", it.eventId, "no")],
      [
        "not_waiting",
        "if another transaction of them is signed",
        async ({ eventId }) =>
          at.submit(await at.handOutLaunch("PAID", { eventId, messageHash: "2" })),
      ],
      ["too_late", "after their deadline", () => at.advance(WITHIN_MS)],
      [
        "paused",
        "while launches are paused",
        () => at.store.operator.steer({ pauses: { launches: "upgrade" } }, CHANGE),
      ],
      [
        "wallet_blocked",
        "if their wallet is blocked",
        () => at.store.operator.setRule("agent", { list: "blocked", isOn: true }, CHANGE),
      ],
      ["launched_today", "if their agent has launched today", () => at.insertToken("DONE")],
      ["another_undecided", "while a worker leases another launch", () => at.take("LEASED")],
      ["another_undecided", "while another is signed", () => signed("OTHER")],
      [
        "launch_rate_limit",
        "if the hour has no place",
        async () => starting(await at.handOutLaunch("THEIRS", { wallet: "next" }), 1),
      ],
    ];
    test.each(reasons)("%s: %s", async (reason, _, happen) => {
      const row = await at.handOutLaunch("PAID");
      await happen(row);
      const before = await read(row);
      expect(await starting(row, 1)).toBe(reason);
      expect(await read(row)).toEqual(before);
      expect(await at.store.prepared.read(row.id)).toEqual(row);
    });
  });

  test("are started one at a time of one agent, also if two are signed at once", async () => {
    const rows = [await at.handOutLaunch("ONE"), await at.handOutLaunch("TWO")];
    // On PostgreSQL either connection may be first.
    const outcomes = await Promise.all(rows.map((row) => starting(row)));
    expect(outcomes.toSorted()).toEqual(["another_undecided", "started"]);
  });

  test("make their agent's other launches wait while they are undecided, and limit none", async () => {
    const leased = await at.take("LEASED");
    const row = await at.handOutLaunch("PAID");
    // Imitates a server that asked before the lease was committed.
    await at.database.execute("update launches set lease_id = null where ticker = 'LEASED'");
    await at.submit(row);
    expect(await at.lease("early")).toBeNull();
    await at.database.execute("update launches set lease_id = 'holder' where ticker = 'LEASED'");
    await at.reserve(leased.eventId, 70n);
    const recording = at.launches.recordAttempt(leased.eventId, "holder", newAttempt("LEASED"));
    await expect(recording).rejects.toThrow("another_undecided");
    expect(await at.launches.spentToday()).toBe(0n);
    await fail(row);
    await at.launches.recordAttempt(leased.eventId, "holder", newAttempt("LEASED"));
  });

  test("may be started once an hour for each agent, and while the hour has a place", async () => {
    const row = await at.handOutLaunch("PAID");
    const theirs = await at.handOutLaunch("THEIRS", { wallet: "other" });
    const startsIn = ({ eventId }: PreparedLaunch, most = 1) => at.launches.startsIn(eventId, most);
    expect(await startsIn(row)).toBe(0);
    expect(await starting(row, 1)).toBe("started");
    await at.advance(1_000);
    expect(await startsIn(theirs)).toBe(HOUR_MS - 1_000);
    expect(await startsIn(theirs, 2)).toBe(0);
    expect(await startsIn(theirs, Number.POSITIVE_INFINITY)).toBe(0);
    expect(await starting(theirs, 1)).toBe("launch_rate_limit");
    const next = await at.handOutLaunch("NEXT");
    expect(await startsIn(next, 9)).toBe(HOUR_MS - 1_000);
    await at.advance(HOUR_MS - 1_000);
    expect(await startsIn(next)).toBe(0);
  });

  describe("have one deadline, which", () => {
    const endLate = async () => {
      const late = (await at.launches.ofAgents()).filter((it) => Number(it.signBy) <= at.now());
      const eventIds = late.filter((it) => !it.signature).map(({ eventId }) => eventId);
      return eventIds.length && (await at.launches.endWaiting({ eventIds }, "late", true));
    };

    test("a transaction that expires leaves as it was: until then they may be signed again", async () => {
      const row = await signed("PAID");
      const { signBy } = await read(row);
      await at.advance(WITHIN_MS - 1);
      await at.launches.unsign(row.eventId, hold(row));
      expect(await read(row)).toMatchObject({
        ...{ status: "pending", signature: null, day: null, signBy },
      });
      expect((await at.launches.find("agent", row.eventId))?.agentLamports).toBeNull();
      expect(await at.store.prepared.read(row.id)).toMatchObject({
        ...{ status: "prepared", signature: null, transaction: null, leaseId: null },
      });
      expect(await starting(row)).toBe("started");
      await at.launches.unsign(row.eventId, hold(row, "of PAID"));
      await at.advance(1);
      expect(await starting(row)).toBe("too_late");
      expect(await endLate()).toBe(1);
    });

    test("their agent's retry renews", async () => {
      const row = await at.handOutLaunch("PAID");
      await at.advance(WITHIN_MS);
      expect(await endLate()).toBe(1);
      await retry(row);
      const { signBy } = await read(row);
      expect(signBy).toBe(at.now() + WITHIN_MS);
      // A server that read of the launch before does not end it.
      expect(await at.launches.endWaiting({ eventIds: [row.eventId] }, "late", true)).toBe(0);
      expect(await at.launches.ofAgents()).toMatchObject([{ signBy }]);
      await at.launches.cancel("agent", row.eventId, "no");
      expect(await at.launches.ofAgents()).toEqual([]);
    });

    test("ends all that are not signed, many at a time, frees their tickers, and no others", async () => {
      const late = Array.from({ length: 201 }, (_, n) =>
        newLaunch(`L${n}`, { wallet: `w${n}`, payer: "agent", createdAt: at.now() }),
      );
      await at.launches.insert(late);
      const pending = [await signed("SIGNED"), await at.handOutLaunch("TIMELY", { wallet: "b" })];
      await at.insert("OPERATOR", { wallet: "c" });
      await at.database.execute(
        "update launches set sign_by = sign_by + 1 where ticker = 'TIMELY'",
      );
      await at.advance(WITHIN_MS);
      const ended = [];
      for (let round = 0; round < 4; round++) ended.push(await endLate());
      expect(ended).toEqual([100, 100, 1, 0]);
      expect(await at.launches.find("w200", late[200]?.eventId ?? "")).toMatchObject({
        ...{ status: "failed", error: "late" },
      });
      for (const row of pending) expect((await read(row)).status).toBe("pending");
      expect((await at.lease("worker"))?.ticker).toBe("OPERATOR");
      const newCreator = newLaunch("L200", { wallet: "newCreator", createdAt: at.now() });
      expect(await at.launches.insert([newCreator])).toMatchObject([{ kind: "stored" }]);
    });
  });

  test("end with their token, which takes nothing of their address's share of the day's budget", async () => {
    const row = await signed("PAID", { address: ADDRESS });
    const launch = await read(row);
    expect(await at.launches.succeed(launch, hold(row), newAttempt("PAID"))).toBe(true);
    expect(await at.launches.succeed(launch, hold(row), newAttempt("PAID"))).toBe(false);
    const asked = { wallet: "agent", ticker: null, address: ADDRESS, now: at.now() };
    expect(await at.launches.intakeState(asked)).toMatchObject({
      ...{ launched: { address: 0, network: 0 }, hasLaunchedToday: true },
    });
    const paid = { payer: "agent", agentLamports: 25_000_000n } as const;
    expect(await at.launches.find("agent", row.eventId)).toMatchObject(paid);
    const { events } = (await at.store.events.read("agent", 0, 9)) as { events: EventRow[] };
    expect(events).toMatchObject([{ type: "launch.succeeded", ...paid }]);
    expect(await at.store.prepared.read(row.id)).toMatchObject({
      ...{ status: "confirmed", transaction: null, leaseId: null, paidSeq: null },
    });
  });

  test("whose token is on chain already end with it, unless they are signed", async () => {
    const row = await at.handOutLaunch("PAID");
    expect(await at.launches.succeed(await read(row), "unsigned", newAttempt("PAID"))).toBe(true);
    await at.advance(DAY_MS);
    const other = await signed("OTHER");
    const launch = await read(other);
    expect(await at.launches.succeed(launch, "unsigned", newAttempt("OTHER"))).toBe(false);
  });

  test("are ended or taken back only with the lease", async () => {
    const row = await signed("PAID");
    await at.advance(60_000);
    const unsettled = await at.store.prepared.unsettled();
    expect(unsettled.map(({ eventId }) => eventId)).toContain(row.eventId);
    await at.submit(row, { leaseId: "next" });
    const before = [await read(row), await at.store.prepared.read(row.id)];
    expect(await at.launches.succeed(await read(row), hold(row), newAttempt("PAID"))).toBe(false);
    expect(await fail(row)).toBe(false);
    await at.launches.unsign(row.eventId, hold(row));
    const ending = { status: "failed", error: "refused" } as const;
    expect(await at.launches.endPaid(row.eventId, "unsigned", ending)).toBe(false);
    expect([await read(row), await at.store.prepared.read(row.id)]).toEqual(before);
    expect(await at.launches.cancel("agent", row.eventId, "no")).toEqual({ kind: "signed" });
  });

  test("free their ticker if the chain refused them, signed or not, and keep it if they are limited", async () => {
    const isFree = async (ticker: string) => {
      const launch = newLaunch(ticker, { wallet: "newCreator", createdAt: at.now() });
      return (await at.launches.insert([launch]))[0]?.kind === "stored";
    };
    await fail(await signed("LANDED"));
    const refused = await at.handOutLaunch("REFUSED");
    await at.launches.endPaid(refused.eventId, "unsigned", { status: "failed", error: "no" });
    const limited = await at.handOutLaunch("LIMITED");
    await at.launches.endPaid(limited.eventId, "unsigned", { status: "rate_limited", error: "no" });
    expect(await Promise.all(["LANDED", "REFUSED", "LIMITED"].map(isFree))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("say what a failed transaction took, until they are retried", async () => {
    const row = await at.handOutLaunch("PAID");
    const saidCosts = async () => {
      const { events } = (await at.store.events.read("agent", 0, 9)) as { events: EventRow[] };
      const launch = await at.launches.find("agent", row.eventId);
      return [launch?.agentLamports, ...events.map(({ agentLamports }) => agentLamports)];
    };
    await at.submit(row);
    await fail(row, 15_000n);
    expect(await saidCosts()).toEqual([15_000n, 15_000n]);
    expect(await retry(row)).toBe("stored");
    expect(await saidCosts()).toEqual([null, null]);
  });

  test("count again in their agent's limit if they are retried and were not signed", async () => {
    const unsigned = await at.handOutLaunch("UNSIGNED");
    const limits = { maxOfAgent: 2 };
    const cancel = () => at.launches.cancel("agent", unsigned.eventId, "no");
    await cancel();
    expect(await retry(unsigned, limits)).toBe("stored");
    await cancel();
    expect(await retry(unsigned, limits)).toBe("agent_launch_limit");
    expect(await at.launches.intakeState({ wallet: "agent", now: at.now() })).toMatchObject({
      ...{ ofAgent: 2, ofAddress: 0 },
    });
    // A signature costs its agent a fee.
    const paid = await signed("PAID", { wallet: "payer" });
    await fail(paid);
    for (let times = 0; times < 3; times++) {
      expect(await retry(paid, { maxOfAgent: 1 })).toBe("stored");
      await at.submit(paid);
      await fail(paid);
    }
    await at.advance(DAY_MS);
    expect(await retry(unsigned, limits)).toBe("stored");
  });

  test("are the only ones that are retried where the operator pays for none", async () => {
    const payers = ["agent"] as const;
    const eventId = await at.insertFailed("OPERATOR");
    expect(await at.retry(eventId, { payers })).toBe("not_paid");
    const row = await signed("PAID");
    await fail(row);
    expect(await retry(row, { payers })).toBe("stored");
  });

  test("fill shares of their own, as large as the queue's, and no place of the hour", async () => {
    const limits = {
      ...UNBOUNDED,
      maxPending: 20,
      maxPerHour: 3,
      shares: { address: 0, network: 10 },
    };
    const insert = async (ticker: string, payer: "agent" | undefined, address: string | null) => {
      const wallet = `of ${ticker}`;
      const launch = newLaunch(ticker, { wallet, address, createdAt: at.now() });
      return (await at.launches.insert([{ ...launch, ...(payer && { payer }) }], limits))[0]?.kind;
    };
    const all = async (
      name: string,
      count: number,
      payer?: "agent",
      address: string | null = null,
    ) => {
      const kinds = [];
      for (let n = 0; n < count; n++) kinds.push(await insert(`${name}${n}`, payer, address));
      return kinds;
    };
    expect(await all("A", 3, "agent", ADDRESS)).toEqual(["stored", "stored", "queue_share_used"]);
    expect(await insert("OPERATOR", undefined, ADDRESS)).toBe("stored");
    expect(await all("B", 19, "agent")).toEqual([...Array(18).fill("stored"), "queue_full"]);
    expect(await insert("SECOND", undefined, null)).toBe("stored");
    const asked = { wallet: "agent", address: ADDRESS, now: at.now(), readsPlaces: true };
    expect(await at.launches.intakeState(asked)).toMatchObject({
      pending: { address: 1, network: 1, total: 2 },
      ofAgents: { address: 2, network: 2, total: 20 },
      places: { used: { address: 1, network: 1, total: 2 } },
    });
  });
});
