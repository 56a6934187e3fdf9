import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { insertLaunch, takeLaunch } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { newAttempt } from "../testing/rows.ts";

test("while a wallet's launch may land, no other one of the day is signed", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const one = await takeLaunch(temp, "ONE", { leaseId: "first" });
  const two = await insertLaunch(temp, "TWO");
  // The queue never leases both at once: this imitates a first lease that was lost unnoticed.
  using client = new Database(temp.path);
  client.run("drop index launches_leased");
  client.run("update launches set lease_id = 'second' where event_id = ?", [two]);
  const record = (eventId: string, leaseId: string, ticker: string) =>
    launches.recordAttempt(eventId, leaseId, newAttempt(ticker));
  await record(one.eventId, "first", "ONE");
  await expect(record(two, "second", "TWO")).rejects.toThrow("another_undecided");
  await record(one.eventId, "first", "AGAIN");
  temp.clock.advance(86_400_000);
  await record(two, "second", "TWO");
});

test("a launch that is cancelled at midnight takes nothing from what others took the day before", async () => {
  const clock = new ManualClock();
  const cost = { walletLamports: 100n, minWalletLamports: 0n, maxDailyLamports: null };
  for (let reads = 1; reads <= 8; reads++) {
    const evening = Date.UTC(2026, 2, reads, 23, 59);
    clock.set(evening);
    using temp = tempStore(clock);
    const { launches } = temp.store;
    for (const [ticker, lamports] of [["KEPT", 7n] as const, ["ONE", 5n] as const]) {
      const { eventId } = await takeLaunch(temp, ticker, { leaseId: ticker, wallet: ticker });
      await launches.reserve(eventId, ticker, { lamports, ...cost });
      if (ticker === "KEPT") continue;
      // Midnight comes at one of the reads of the time.
      let left = reads;
      clock.now = () => (--left <= 0 ? evening + 60_000 : evening);
      await launches.cancel(ticker, eventId, "cancelled");
      Reflect.deleteProperty(clock, "now");
    }
    expect([7n, 12n]).toContain(await launches.spentToday());
  }
});
