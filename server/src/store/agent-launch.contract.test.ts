import { expect, test } from "bun:test";
import { UNBOUNDED } from "../domain/intake-limits.ts";
import type { EventRow } from "./events.ts";
import type { FullOfPaid } from "./launch-queue.ts";
import { describeStore } from "./testing/contract.ts";
import { newAttempt, newLaunch } from "./testing/rows.ts";

const FIRST_BUY = { lamports: 1_500_000_001n, minUnits: 9_007_199_254_740_993n };
const WITHIN_MS = UNBOUNDED.signWithinMs;
const HOUR_MS = 3_600_000;
const SIGNED = Uint8Array.of(1, 2, 3);

describeStore("launches that agents pay for", (at) => {
  async function insert(ticker = "PAID", address: string | null = null, wallet = "agent") {
    const createdAt = at.now();
    const paid = { payer: "agent", firstBuy: FIRST_BUY } as const;
    const launch = newLaunch(ticker, { ...paid, address, wallet, createdAt });
    await at.launches.insert([launch]);
    return launch.eventId;
  }
  const sign = (eventId: string) => at.launches.recordAgentSigned(eventId, SIGNED);

  test("are leased once they are signed, with what they buy; the first signature counts", async () => {
    const eventId = await insert();
    expect(await at.lease("early")).toBeNull();
    // On PostgreSQL either of two connections may be first.
    const signed = await Promise.all([sign(eventId), sign(eventId)]);
    expect(signed.toSorted()).toEqual([false, true]);
    const leased = await at.lease("lease");
    expect(leased).toMatchObject({ eventId, payer: "agent", firstBuy: FIRST_BUY, signBy: null });
    expect([...(leased?.agentSigned ?? [])]).toEqual([...SIGNED]);
  });

  test("cannot be signed any more once a worker ends them", async () => {
    const eventId = await insert();
    await at.advance(WITHIN_MS);
    expect(await at.lease("lease")).toMatchObject({ eventId });
    expect(await sign(eventId)).toBe(false);
    expect(await at.launches.endUnsigned(eventId, "lease", "late")).toBe(true);
    expect(await sign(eventId)).toBe(false);
  });

  test("have as long to be signed as they had at first, unless less is allowed", async () => {
    const eventId = await insert();
    const signByOf = async () => (await at.launches.findUnsigned("agent", eventId))?.signBy ?? 0;
    const first = await signByOf();
    await at.launches.boundSigning(WITHIN_MS);
    expect(await signByOf()).toBe(first);
    await at.launches.boundSigning(1_000);
    expect(first - (await signByOf())).toBe(WITHIN_MS - 1_000);
  });

  test("end together once they were not signed in time; one that is signed or has time left does not", async () => {
    const late = [await insert("LATE1"), await insert("LATE2", null, "other")];
    const signed = await insert("SIGNED", null, "signs");
    await sign(signed);
    await at.advance(WITHIN_MS);
    const inTime = await insert("TIMELY", null, "third");
    const [first = ""] = late;
    expect(await at.lease("lease")).toMatchObject({ eventId: first });
    expect(await at.launches.endUnsigned(first, "lease", "late")).toBe(true);
    const statusOf = async (wallet: string, eventId: string) =>
      (await at.launches.find(wallet, eventId))?.status;
    expect(await statusOf("agent", first)).toBe("failed");
    expect(await statusOf("other", late[1] ?? "")).toBe("failed");
    expect(await statusOf("signs", signed)).toBe("pending");
    expect(await statusOf("third", inTime)).toBe("pending");
    expect(await at.lease("next")).toMatchObject({ eventId: signed });
  });

  test("keep nothing of a transaction that expired, and may be signed again", async () => {
    const eventId = await insert();
    await sign(eventId);
    await at.lease("lease");
    await at.launches.recordAttempt(eventId, "lease", newAttempt("PAID"));
    expect(await sign(eventId)).toBe(false);
    await at.launches.awaitSignature(eventId, "lease", WITHIN_MS);
    expect(await at.launches.findUnsigned("agent", eventId)).toMatchObject({
      ...{ signature: null, transaction: null, day: null, agentSigned: null },
    });
    expect(await sign(eventId)).toBe(true);
    expect(await at.lease("again")).toMatchObject({ eventId, signature: null });
  });

  test("take nothing of an address's share of the day's budget, and say what they took", async () => {
    const address = "192.0.2.1";
    const eventId = await insert("PAID", address);
    await sign(eventId);
    const launch = await at.lease("lease");
    if (!launch) throw new Error("it is due");
    const agentLamports = 9_007_199_254_740_993n;
    const paid = { payer: "agent", agentLamports } as const;
    await at.launches.recordAttempt(eventId, "lease", { ...newAttempt("PAID"), agentLamports });
    await at.launches.succeed(launch, "lease", { tokenMint: "mint", poolAddress: "pool" });
    const asked = { wallet: "agent", ticker: null, address, now: at.now() };
    expect(await at.launches.intakeState(asked)).toMatchObject({
      launched: { address: 0, network: 0 },
    });
    expect(await at.launches.find("agent", eventId)).toMatchObject(paid);
    const { events } = (await at.store.events.read("agent", 0, 9)) as { events: EventRow[] };
    expect(events).toMatchObject([{ type: "launch.succeeded", ...paid }]);
  });

  test("say what a failed transaction took, until they are retried", async () => {
    const eventId = await insert();
    const failWith = async (refusal: Parameters<typeof at.launches.fail>[2]) => {
      await sign(eventId);
      await at.lease("lease");
      const agentLamports = 25_000_000n;
      await at.launches.recordAttempt(eventId, "lease", { ...newAttempt("PAID"), agentLamports });
      await at.launches.fail(eventId, "lease", refusal);
    };
    const saidCosts = async () => {
      const read = await at.store.events.read("agent", 0, 9);
      const { events } = read as { events: EventRow[] };
      const launch = await at.launches.find("agent", eventId);
      return [launch?.agentLamports, ...events.map(({ agentLamports }) => agentLamports)];
    };
    await failWith({ message: "refused", agentLamports: 15_000n });
    expect(await saidCosts()).toEqual([15_000n, 15_000n]);
    await at.advance(1_000);
    const retry = () =>
      at.launches.retry({ wallet: "agent", eventId, address: null, now: at.now() });
    expect(await retry()).toMatchObject({ kind: "stored" });
    expect(await saidCosts()).toEqual([null, null]);
    await failWith({ message: "not sent" });
    expect(await saidCosts()).toEqual([null, null, null]);
    await at.advance(1_000);
    await retry();
    await failWith({ message: "refused", agentLamports: 20_000n });
    expect(await saidCosts()).toEqual([20_000n, null, null, 20_000n]);
  });

  test("are leased only while there is room for them, also to find out how they ended", async () => {
    const eventId = await insert("PAID", "192.0.2.1");
    await sign(eventId);
    const none = { isAll: false, addresses: [], networks: [] };
    const next = async (full: Partial<FullOfPaid>) =>
      (await at.launches.lease("lease", 60_000, { fullOfPaid: { ...none, ...full } }))?.ticker;
    const fulls = [{ isAll: true }, { addresses: ["192.0.2.1"] }, { networks: ["192.0.2.0/24"] }];
    for (const full of fulls) expect(await next(full)).toBeUndefined();
    expect(await next({ addresses: ["192.0.2.2"], networks: ["192.0.3.0/24"] })).toBe("PAID");
    await at.launches.recordAttempt(eventId, "lease", newAttempt("PAID"));
    await at.launches.postpone(eventId, "lease", { delayMs: 0 });
    for (const full of fulls) expect(await next(full)).toBeUndefined();
    expect(await next({})).toBe("PAID");
    await at.insert("OPERATOR", { wallet: "other", address: "192.0.2.1" });
    expect(await next({ isAll: true, addresses: ["192.0.2.1"] })).toBe("OPERATOR");
  });

  test("may be started once an hour for each agent, and while the hour has a place", async () => {
    const eventId = await insert();
    await at.insert("OPERATOR");
    await at.insert("THEIRS", { wallet: "other" });
    const startsIn = (maxPerHour: number) => at.launches.startsIn(eventId, maxPerHour);
    const starts = { maxPerHour: 2 };
    expect(await startsIn(2)).toBe(0);
    expect(await at.launches.lease("lease", 60_000, starts)).toMatchObject({ ticker: "OPERATOR" });
    await at.advance(1_000);
    expect(await startsIn(2)).toBe(HOUR_MS - 1_000);
    expect(await startsIn(Number.POSITIVE_INFINITY)).toBe(0);
    const theirs = await at.insert("NEXT", { wallet: "next" });
    expect(await at.launches.startsIn(theirs, 2)).toBe(0);
    expect(await at.launches.lease("theirs", 60_000, starts)).toMatchObject({ ticker: "THEIRS" });
    expect(await at.launches.startsIn(theirs, 2)).toBe(HOUR_MS - 1_000);
    await at.advance(HOUR_MS - 1_000);
    expect(await startsIn(2)).toBe(0);
  });

  test("are the only ones that are retried where the operator pays for none", async () => {
    const limits = { ...UNBOUNDED, payers: ["agent"] } as const;
    const retry = (eventId: string) =>
      at.launches.retry({ wallet: "agent", eventId, address: null, now: at.now() }, limits);
    expect(await retry(await at.insertFailed("OPERATOR"))).toMatchObject({ kind: "not_paid" });
    const eventId = await insert();
    await at.launches.cancel("agent", eventId, "cancelled");
    expect(await retry(eventId)).toEqual({ kind: "stored", ticker: "PAID" });
  });
});
