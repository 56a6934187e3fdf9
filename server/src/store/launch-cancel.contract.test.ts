import { expect, test } from "bun:test";
import { LeaseLostError } from "../domain/journal.ts";
import { describeStore } from "./testing/contract.ts";
import { newAttempt, newLaunch } from "./testing/rows.ts";

const BY_AGENT = "Cancelled by its agent";

describeStore("cancelling", (at) => {
  const cancel = (eventId: string, wallet = "agent") =>
    at.launches.cancel(wallet, eventId, BY_AGENT);
  const find = (eventId: string) => at.launches.find("agent", eventId);
  /** @returns whether another wallet gets the ticker */
  const isFree = async (ticker: string) => {
    const launch = newLaunch(ticker, { wallet: "heir", createdAt: at.now() });
    return (await at.launches.insert([launch]))[0]?.kind === "stored";
  };

  test("a launch that waits ends failed, and its ticker is free at once", async () => {
    const eventId = await at.insert("ONE");
    const behind = await at.insert("TWO", { wallet: "other" });
    await at.advance(5);
    expect(await cancel(eventId)).toEqual({ kind: "cancelled" });
    expect(await find(eventId)).toMatchObject({
      ...{ eventId, ticker: "ONE", status: "failed", processedAt: at.now(), error: BY_AGENT },
      ...{ tokenMint: null, poolAddress: null, wait: null },
    });
    expect((await at.launches.find("other", behind))?.wait?.place).toBe(1);
    expect(await isFree("ONE")).toBe(true);
    expect((await at.lease("a"))?.ticker).toBe("TWO");
  });

  test("an agent's other launches keep their places", async () => {
    await at.insert("ONE");
    const eventId = await at.insert("TWO");
    await at.advance(5);
    await at.insert("THREE", { wallet: "other" });
    await at.advance(5);
    await cancel(eventId);
    expect((await at.lease("a"))?.ticker).toBe("ONE");
  });

  test("to do it again changes nothing and says the same", async () => {
    const eventId = await at.insert("ONE");
    await cancel(eventId);
    const first = await find(eventId);
    await at.advance(5);
    expect(await cancel(eventId)).toEqual({ kind: "cancelled" });
    expect(await find(eventId)).toEqual(first);
  });

  test("a client that waits for the wallet's events is told once", async () => {
    const heard: string[] = [];
    const onEvents = (wallet: string) => void heard.push(wallet);
    const { launches } = await at.database.openAnother({ onEvents });
    const eventId = await at.insert("ONE");
    await launches.cancel("agent", eventId, BY_AGENT);
    await launches.cancel("agent", eventId, BY_AGENT);
    expect(heard).toEqual(["agent"]);
  });

  test("a launch of another wallet does not exist", async () => {
    const eventId = await at.insert("ONE");
    expect(await cancel(eventId, "other")).toEqual({ kind: "unknown" });
    expect(await cancel(crypto.randomUUID())).toEqual({ kind: "unknown" });
    expect((await find(eventId))?.status).toBe("pending");
  });

  test("a worker that holds it has lost its lease, and what it set aside goes back", async () => {
    const kept = await at.take("KEPT", "kept", { wallet: "other" });
    const cost = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: null };
    await at.launches.reserve(kept.eventId, "kept", { lamports: 30n, ...cost });
    const before = await at.launches.spentToday();
    const { eventId } = await at.take("ONE");
    await at.launches.reserve(eventId, "holder", { lamports: 200n, ...cost });
    expect(await cancel(eventId)).toEqual({ kind: "cancelled" });
    expect(await at.launches.spentToday()).toBe(before);
    await expect(at.launches.recordAttempt(eventId, "holder", newAttempt("ONE"))).rejects.toThrow(
      LeaseLostError,
    );
    await expect(at.launches.reserve(eventId, "holder", { lamports: 1n, ...cost })).rejects.toThrow(
      LeaseLostError,
    );
    await at.launches.settle(eventId, "holder", 0n);
    expect(await at.launches.spentToday()).toBe(before);
    expect(await at.launches.fail(eventId, "holder", { message: "refused" })).toBe(false);
    expect((await find(eventId))?.error).toBe(BY_AGENT);
  });

  test("what was set aside on another day leaves the sum of today alone", async () => {
    const { eventId } = await at.take("ONE");
    const cost = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: null };
    await at.launches.reserve(eventId, "holder", { lamports: 200n, ...cost });
    const today = await at.take("TODAY", "today", { wallet: "other agent" });
    await at.setTime(Date.UTC(2026, 2, 2));
    await at.launches.reserve(today.eventId, "today", { lamports: 30n, ...cost });
    await cancel(eventId);
    expect(await at.launches.spentToday()).toBe(30n);
  });

  test("a launch with a signed transaction goes on", async () => {
    const launch = await at.take("ONE");
    await at.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"));
    expect(await cancel(launch.eventId)).toEqual({ kind: "signed" });
    await at.launches.postpone(launch.eventId, "holder", { delayMs: 0 });
    expect(await cancel(launch.eventId)).toEqual({ kind: "signed" });
    await at.lease("holder");
    expect(await at.launches.succeed(launch, { leaseId: "holder" }, newAttempt("ONE"))).toBe(true);
  });

  test("a launch that has ended otherwise stays as it is", async () => {
    const failed = await at.insertFailed("FAILED");
    expect(await cancel(failed)).toEqual({ kind: "ended", status: "failed" });
    expect((await find(failed))?.error).toBe("refused");
    expect(await isFree("FAILED")).toBe(false);
    const { eventId } = await at.insertToken("DONE");
    expect(await cancel(eventId)).toEqual({ kind: "ended", status: "success" });
  });

  test("it can be retried, unless another launch has its ticker", async () => {
    const origin = { address: null, now: at.now() };
    const eventId = await at.insert("ONE");
    await cancel(eventId);
    expect((await at.launches.retry({ wallet: "agent", eventId, ...origin })).kind).toBe("stored");
    expect(await isFree("ONE")).toBe(false);
    await cancel(eventId);
    expect(await isFree("ONE")).toBe(true);
    expect((await at.launches.retry({ wallet: "agent", eventId, ...origin })).kind).toBe(
      "ticker_taken",
    );
  });
});
