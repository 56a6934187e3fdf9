import { expect, test } from "bun:test";
import { LeaseLostError } from "../domain/journal.ts";
import { LONGEST_STEP_MS } from "./launches.ts";
import type { LaunchFilter } from "./operator-reads.ts";
import { describeStore } from "./testing/contract.ts";
import { newAttempt, newLaunch } from "./testing/rows.ts";

const ERROR = "ended together";
const COST = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: null };

describeStore("launches that wait", (at) => {
  const insertFrom = async (ticker: string, wallet: string, address: string | null) => {
    const launch = newLaunch(ticker, { wallet, address, createdAt: at.now() });
    await at.launches.insert([launch]);
    return launch.eventId;
  };
  const end = (which: LaunchFilter) => at.launches.endWaiting(which, ERROR);
  const statusOf = async (wallet: string, eventId: string) =>
    (await at.launches.find(wallet, eventId))?.status;

  test("are ended by wallet, address, network and time, and by all that is named", async () => {
    const one = await insertFrom("ONE", "agent", "192.0.2.1");
    await insertFrom("TWO", "other", "192.0.2.2");
    await at.advance(1_000);
    await insertFrom("THREE", "third", "2001:db8:0:7::/64");
    await insertFrom("FOUR", "fourth", null);
    expect(await end({ wallet: "agent", address: "192.0.2.2" })).toBe(0);
    expect(await end({ until: at.now() - 1_001 })).toBe(0);
    expect(await end({ wallet: "agent" })).toBe(1);
    expect(await at.launches.find("agent", one)).toMatchObject({ status: "failed", error: ERROR });
    expect(await end({ address: "192.0.2.2" })).toBe(1);
    expect(await end({ network: "2001:db8:0::/48" })).toBe(1);
    expect(await end({ since: at.now() })).toBe(1);
    expect((await at.launches.backlog()).depth).toBe(0);
  });

  test("release their tickers and what is set aside for them, tell their agents, and are signed no more", async () => {
    const { eventId } = await at.take("LEASED", "lease");
    await at.launches.reserve(eventId, "lease", { ...COST, lamports: 70n });
    await insertFrom("OTHER", "other", "192.0.2.1");
    expect(await end({})).toBe(2);
    expect(await at.launches.spentToday()).toBe(0n);
    await expect(at.launches.recordAttempt(eventId, "lease", newAttempt("LEASED"))).rejects.toThrow(
      LeaseLostError,
    );
    for (const ticker of ["LEASED", "OTHER"]) {
      const launch = newLaunch(ticker, { wallet: "heir", createdAt: at.now() });
      expect((await at.launches.insert([launch]))[0]?.kind).toBe("stored");
    }
    for (const wallet of ["agent", "other"]) {
      const events = await at.database.select(`select type from events where wallet = '${wallet}'`);
      expect(events).toEqual([{ type: "launch.failed" }]);
    }
  });

  test("stay if a transaction is signed for them", async () => {
    const { eventId } = await at.take("SIGNED", "lease");
    await at.launches.recordAttempt(eventId, "lease", newAttempt("SIGNED"));
    expect(await end({})).toBe(0);
    expect(await statusOf("agent", eventId)).toBe("pending");
  });

  test("wait by the service's time, which counts only what it is told to, on all servers together", async () => {
    const other = at.store.isShared ? await at.database.openAnother() : at.store;
    const pass = (store = at.store, isCounted = true) => store.launches.passTime(isCounted);
    const early = await insertFrom("EARLY", "agent", null);
    expect(await pass()).toBe(0);
    await at.advance(1_000);
    expect(await pass(other)).toBe(1_000);
    await at.advance(500);
    expect(await pass()).toBe(1_500);
    const late = await insertFrom("LATE", "other", null);
    // A pause, a clock that is set back, and one that is set far ahead.
    await at.advance(9_000);
    expect(await pass(other, false)).toBe(1_500);
    await at.advance(-5_000);
    expect(await pass()).toBe(1_500);
    await at.advance(1_000 * LONGEST_STEP_MS);
    expect(await pass()).toBe(1_500 + LONGEST_STEP_MS);
    expect(await end({ queuedBy: 1_499 })).toBe(1);
    expect(await statusOf("agent", early)).toBe("failed");
    expect(await statusOf("other", late)).toBe("pending");
    const origin = { address: null, now: at.now() };
    expect((await at.launches.retry({ wallet: "agent", eventId: early, ...origin })).kind).toBe(
      "stored",
    );
    expect(await end({ queuedBy: 1_500 })).toBe(1);
    expect(await statusOf("agent", early)).toBe("pending");
  });
});
