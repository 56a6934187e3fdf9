import { expect, test } from "bun:test";
import type { LaunchStatusName } from "@tokenctl/shared/types";
import { LeaseLostError } from "../domain/journal.ts";
import type { LaunchFilter } from "./launch-queue.ts";
import { describeStore } from "./testing/contract.ts";
import { newAttempt, newLaunch, WHOLE_LIST } from "./testing/rows.ts";
import type { PagePart } from "./tokens.ts";

const BY_AGENT = "Cancelled by its agent";

describeStore("cancelling", (at) => {
  const cancel = (eventId: string, wallet = "agent") =>
    at.launches.cancel(wallet, eventId, BY_AGENT);
  const find = (eventId: string) => at.launches.find("agent", eventId);
  /** @returns whether another wallet gets the ticker */
  const isFree = async (ticker: string) => {
    const launch = newLaunch(ticker, { wallet: "newCreator", createdAt: at.now() });
    return (await at.launches.insert([launch]))[0]?.kind === "stored";
  };

  test("a launch that waits ends failed, and its ticker is free at once", async () => {
    const eventId = await at.insert("ONE");
    await at.insert("TWO", { wallet: "other" });
    await at.advance(5);
    expect(await cancel(eventId)).toEqual({ kind: "cancelled" });
    expect(await find(eventId)).toMatchObject({
      ...{ eventId, ticker: "ONE", status: "failed", processedAt: at.now(), error: BY_AGENT },
      ...{ tokenMint: null, poolAddress: null, wait: null },
    });
    expect(await isFree("ONE")).toBe(true);
    expect((await at.lease("a"))?.ticker).toBe("TWO");
  });

  test("to do it again changes nothing, and a client that waits for events is told once", async () => {
    const heard: string[] = [];
    const onEvents = (wallet: string) => void heard.push(wallet);
    const { launches } = await at.database.openAnother({ onEvents });
    const eventId = await at.insert("ONE");
    for (let times = 0; times < 2; times++) {
      expect(await launches.cancel("agent", eventId, BY_AGENT)).toEqual({ kind: "cancelled" });
    }
    expect(heard).toEqual(["agent"]);
  });

  test("a worker that holds it has lost its lease, and what it set aside goes back", async () => {
    const kept = await at.take("KEPT", "kept", { wallet: "other" });
    await at.reserve(kept.eventId, 30n, { leaseId: "kept" });
    const before = await at.launches.spentToday();
    const { eventId } = await at.take("ONE");
    await at.reserve(eventId, 200n);
    expect(await cancel(eventId)).toEqual({ kind: "cancelled" });
    expect(await at.launches.spentToday()).toBe(before);
    await expect(at.launches.recordAttempt(eventId, "holder", newAttempt("ONE"))).rejects.toThrow(
      LeaseLostError,
    );
    await expect(at.reserve(eventId, 1n)).rejects.toThrow(LeaseLostError);
    await at.launches.settle(eventId, "holder", 0n);
    expect(await at.launches.spentToday()).toBe(before);
    expect(await at.launches.fail(eventId, "holder", { message: "refused" })).toBe(false);
    expect((await find(eventId))?.error).toBe(BY_AGENT);
  });

  test("what was set aside on another day leaves the sum of today alone", async () => {
    const { eventId } = await at.take("ONE");
    await at.reserve(eventId, 200n);
    const today = await at.take("TODAY", "today", { wallet: "other agent" });
    await at.setTime(Date.UTC(2026, 2, 2));
    await at.reserve(today.eventId, 30n, { leaseId: "today" });
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

  test("a launch that waits for SOL has no transaction any more that could land", async () => {
    const { eventId } = await at.take("ONE");
    await at.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
    await at.launches.postpone(eventId, "holder", { delayMs: 0, reason: "launch_wallet_short" });
    expect(await cancel(eventId)).toEqual({ kind: "cancelled" });
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
    const eventId = await at.insert("ONE");
    await cancel(eventId);
    expect(await at.retry(eventId)).toBe("stored");
    expect(await isFree("ONE")).toBe(false);
    await cancel(eventId);
    expect(await isFree("ONE")).toBe(true);
    expect(await at.retry(eventId)).toBe("ticker_taken");
  });
});

const ERROR = "ended together";

describeStore("launches that wait", (at) => {
  const insertFrom = async (ticker: string, wallet: string, address: string | null) => {
    const launch = newLaunch(ticker, { wallet, address, createdAt: at.now() });
    await at.launches.insert([launch]);
    return launch.eventId;
  };
  const end = (which: LaunchFilter) => at.launches.endWaiting(which, ERROR);
  const statusOf = async (wallet: string, eventId: string) =>
    (await at.launches.find(wallet, eventId))?.status;

  test("are ended by wallet, network and id, and by all that is named, unless they are signed", async () => {
    const { eventId } = await at.take("SIGNED", "lease", { wallet: "signer" });
    await at.launches.recordAttempt(eventId, "lease", newAttempt("SIGNED"));
    const one = await insertFrom("ONE", "agent", "192.0.2.1");
    await insertFrom("TWO", "other", "192.0.2.2");
    await at.advance(1_000);
    await insertFrom("THREE", "third", null);
    expect(await end({ wallet: "agent", network: "198.51.100.0/24" })).toBe(0);
    expect(await end({ eventIds: [eventId] })).toBe(0);
    expect(await end({ wallet: "agent" })).toBe(1);
    expect(await at.launches.find("agent", one)).toMatchObject({ status: "failed", error: ERROR });
    expect(await end({ network: "192.0.2.0/24" })).toBe(1);
    expect(await end({})).toBe(1);
    expect(await statusOf("signer", eventId)).toBe("pending");
  });

  test("are ended by how long ago they were accepted or retried", async () => {
    const early = await insertFrom("EARLY", "agent", null);
    await at.advance(1_500);
    const late = await insertFrom("LATE", "other", null);
    const queuedBy = at.now() - 1;
    expect(await end({ queuedBy })).toBe(1);
    expect(await statusOf("agent", early)).toBe("failed");
    expect(await statusOf("other", late)).toBe("pending");
    expect(await at.retry(early)).toBe("stored");
    expect(await end({ queuedBy })).toBe(0);
    expect(await end({ queuedBy: queuedBy + 1 })).toBe(2);
  });

  test("are not ended by that if their agents pay, who have a deadline of their own", async () => {
    const paid = await at.insert("PAID", { wallet: "payer", payer: "agent" });
    expect(await end({ queuedBy: at.now() })).toBe(0);
    expect(await statusOf("payer", paid)).toBe("pending");
    expect(await end({ wallet: "payer" })).toBe(1);
  });
});

type Query = Partial<PagePart> & { readonly status?: LaunchStatusName | null };

describeStore("the list of launches", (at) => {
  const list = ({ status = null, ...part }: Query = {}, wallet = "agent") =>
    at.launches.list(wallet, status, { ...WHOLE_LIST, ...part });
  const tickers = async (query: Query = {}) => (await list(query)).rows.map(({ ticker }) => ticker);

  test("shows a wallet's launches, newest first, and no other wallet's", async () => {
    const one = await at.insert("ONE", { name: "Öne" });
    await at.insert("THEIRS", { wallet: "other" });
    const createdAt = at.now();
    await at.advance(5);
    const two = await at.insert("TWO");
    const { rows, next } = await list();
    expect(rows.map(({ eventId }) => eventId)).toEqual([two, one]);
    expect(rows[1]).toEqual({
      ...{ id: expect.any(Number), eventId: one, ticker: "ONE", name: "Öne", createdAt },
      ...{
        status: "pending",
        processedAt: null,
        payer: null,
        agentLamports: null,
        signBy: null,
        error: null,
        tokenMint: null,
        poolAddress: null,
      },
      wait: { reason: "queue", since: createdAt },
    });
    expect(next).toBeNull();
    expect((await list({}, "other")).rows.map(({ ticker }) => ticker)).toEqual(["THEIRS"]);
    expect((await list({}, "stranger")).rows).toEqual([]);
  });

  test("has each status alone, and its pages together are the whole list", async () => {
    await at.insertToken("DONE");
    for (let n = 0; n < 5; n++) {
      const eventId = await at.insert(`T${n}`);
      if (n % 2 === 0) await at.launches.cancel("agent", eventId, "Cancelled");
      await at.insert(`O${n}`, { wallet: "other" });
    }
    const byStatus = {
      pending: ["T3", "T1"],
      failed: ["T4", "T2", "T0"],
      success: ["DONE"],
      rate_limited: [],
    };
    for (const [status, expected] of Object.entries(byStatus)) {
      expect(await tickers({ status: status as LaunchStatusName })).toEqual(expected);
    }
    for (const status of [null, "pending", "failed"] as const) {
      const pages: string[][] = [];
      let before: number | null = null;
      do {
        const page = await list({ status, limit: 2, before });
        pages.push(page.rows.map(({ ticker }) => ticker));
        before = page.next;
      } while (before !== null);
      expect(pages.flat()).toEqual(await tickers({ status }));
      expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
    }
  });
});

describeStore("what a launch waits for", (at) => {
  const wait = async (eventId: string, wallet = "agent") =>
    (await at.launches.find(wallet, eventId))?.wait;

  test("is its turn at first", async () => {
    const since = at.now();
    const eventId = await at.insert("ONE");
    await at.advance(1_000);
    expect(await wait(eventId)).toEqual({ reason: "queue", since });
  });

  test("is its deployment from its first lease on, and its confirmation once it is signed", async () => {
    const eventId = await at.insert("ONE");
    await at.advance(1_000);
    const leasedAt = at.now();
    await at.lease("a");
    await at.advance(1_000);
    expect(await wait(eventId)).toEqual({ reason: "deployment", since: leasedAt });
    const signedAt = at.now();
    await at.launches.recordAttempt(eventId, "a", newAttempt("ONE"));
    await at.advance(1_000);
    expect(await wait(eventId)).toEqual({ reason: "confirmation", since: signedAt });
  });

  test("is what it was put off for, since it first was, until it is signed", async () => {
    const eventId = await at.insert("ONE");
    const since = at.now();
    for (let round = 0; round < 3; round++) {
      await at.lease("a");
      await at.launches.postpone(eventId, "a", { delayMs: 1_000, reason: "launch_wallet_short" });
      expect(await wait(eventId)).toEqual({ reason: "launch_wallet_short", since });
      await at.advance(1_000);
    }
    await at.lease("a");
    expect(await wait(eventId)).toEqual({ reason: "launch_wallet_short", since });
    await at.launches.postpone(eventId, "a", { delayMs: 0, reason: "chain_unavailable" });
    const away = { reason: "chain_unavailable", since: at.now() } as const;
    expect(await wait(eventId)).toEqual(away);
    await at.lease("a");
    await at.advance(1_000);
    await at.launches.postpone(eventId, "a", { delayMs: 0 });
    expect(await wait(eventId)).toEqual(away);
    await at.lease("a");
    await at.launches.recordAttempt(eventId, "a", newAttempt("ONE"));
    expect(await wait(eventId)).toMatchObject({ reason: "confirmation" });
  });
});
