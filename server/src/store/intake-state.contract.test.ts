import { expect, test } from "bun:test";
import { UNKNOWN_WALLET } from "../domain/intake.ts";
import { UNBOUNDED } from "../domain/intake-limits.ts";
import type { IntakeState } from "./launches.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engine.ts";
import { newLaunch } from "./testing/rows.ts";

const COUNTED = { ...UNBOUNDED, maxOfAddress: 100 };
const COST = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: null };

describeStore("the state of the intake", (at) => {
  const read = (
    ticker: string | null = null,
    wallet = "agent",
    address: string | null = null,
    now = at.now(),
  ): Promise<IntakeState> => at.launches.intakeState({ wallet, ticker, address, now });
  const insertFrom = (ticker: string, wallet: string, address: string) =>
    at.launches.insert([newLaunch(ticker, { wallet, address, createdAt: at.now() })], COUNTED);

  test("of a wallet that has done nothing is empty", async () => {
    await at.advance(2 * DAY_MS);
    expect(await read("FREE")).toEqual({
      ...{ ofAgent: 0, pendingOfAgent: 0, hasLaunchedToday: false },
      ofAgents: { address: 0, network: 0, total: 0 },
      ...{ ofAddress: 0, pending: { address: 0, network: 0, total: 0 } },
      ...{ launched: { address: 0, network: 0 }, spending: { lamports: 0n, reserved: 0 } },
      ...{ standing: UNKNOWN_WALLET, isInviteGood: null, places: { isAmong: false, used: {} } },
      ...{ tickerOwner: null, recentMs: [] },
    });
  });

  test("counts the agent's launches of the day, and those that are pending", async () => {
    await at.insert("OLD");
    await at.advance(DAY_MS);
    await at.insert("NEW");
    await at.insert("THEIRS", { wallet: "other" });
    expect(await read()).toMatchObject({ ofAgent: 1, pendingOfAgent: 2, pending: { total: 3 } });
    expect(await read(null, "other")).toMatchObject({ ofAgent: 1, pendingOfAgent: 1 });
    const yesterday = at.now() - DAY_MS;
    expect(await read(null, "other", null, yesterday)).toMatchObject({ ofAgent: 0 });
  });

  test("says whether the agent has a token of the day that is now", async () => {
    await at.insertToken("MINE");
    expect((await read()).hasLaunchedToday).toBe(true);
    expect((await read(null, "other")).hasLaunchedToday).toBe(false);
    await at.advance(DAY_MS);
    expect((await read()).hasLaunchedToday).toBe(false);
  });

  test("counts what an address launched in the day, and what of it is pending", async () => {
    await insertFrom("ONE", "agent", "192.0.2.1");
    await insertFrom("TWO", "other", "192.0.2.1");
    await insertFrom("THREE", "third", "192.0.2.2");
    expect(await read(null, "agent", "192.0.2.1")).toMatchObject({
      ...{ ofAddress: 2, pending: { address: 2, network: 3 } },
    });
    expect(await read(null, "agent", "192.0.2.9")).toMatchObject({
      ...{ ofAddress: 0, pending: { address: 0, network: 3 } },
    });
    const tomorrow = at.now() + DAY_MS;
    expect(await read(null, "agent", "192.0.2.1", tomorrow)).toMatchObject({
      ...{ ofAddress: 0, pending: { address: 2 } },
    });
  });

  test("counts what came on chain today from an address and from its network", async () => {
    await insertFrom("ONE", "agent", "192.0.2.1");
    const launch = await at.lease("lease");
    if (!launch) throw new Error("it is due");
    await at.launches.succeed(
      launch,
      { leaseId: "lease" },
      { tokenMint: "mint", poolAddress: "pool" },
    );
    const from = async (address: string) => (await read(null, "agent", address)).launched;
    expect(await from("192.0.2.1")).toEqual({ address: 1, network: 1 });
    expect(await from("192.0.2.9")).toEqual({ address: 0, network: 1 });
    expect(await from("192.0.3.1")).toEqual({ address: 0, network: 0 });
    await at.advance(DAY_MS);
    expect(await from("192.0.2.1")).toEqual({ address: 0, network: 0 });
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
    const { eventId } = await at.take("ONE", "holder");
    await at.launches.reserve(eventId, "holder", { ...COST, lamports: 70n });
    expect(await read()).toMatchObject({ spending: { lamports: 70n, reserved: 1 } });
    await at.advance(DAY_MS);
    expect(await read()).toMatchObject({ spending: { lamports: 0n, reserved: 0 } });
  });

  test("has how long the latest twenty launches of the last day took", async () => {
    await at.advance(DAY_MS);
    for (let n = 1; n <= 21; n++) {
      const wallet = `wallet ${n}`;
      const launch = newLaunch(`T${n}`, { wallet, createdAt: at.now() - n * 1_000 });
      await at.launches.insert([launch]);
      const leased = await at.lease(`lease ${n}`);
      if (leased === null) throw new Error("nothing is due");
      const token = { tokenMint: `mint ${n}`, poolAddress: `pool ${n}` };
      expect(await at.launches.succeed(leased, { leaseId: `lease ${n}` }, token)).toBe(true);
    }
    const { recentMs } = await read();
    const latest = Array.from({ length: 20 }, (_, n) => (n + 2) * 1_000);
    expect(recentMs.toSorted((a, b) => a - b)).toEqual(latest);
    await at.advance(DAY_MS + 1);
    expect((await read()).recentMs).toEqual([]);
  });

  test("is read without a change: the next launch is stored as if it had not been", async () => {
    const rows = () => at.database.select("select * from launches order by event_id");
    await at.insertFailed("FAILED");
    const before = await rows();
    for (let n = 0; n < 3; n++) await read("FAILED", "agent", "192.0.2.1");
    expect(await rows()).toEqual(before);
    expect(await at.database.select("select * from daily_launches")).toEqual([]);
  });
});
