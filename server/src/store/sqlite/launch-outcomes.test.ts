import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { insertLaunch, takeLaunch } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { newAttempt } from "../testing/rows.ts";

test("whoever waits for a wallet's events hears of a cancelled launch, once", async () => {
  const heard: string[] = [];
  using temp = tempStore(new ManualClock(), (wallet) => void heard.push(wallet));
  const eventId = await insertLaunch(temp, "ONE", { wallet: "agent" });
  await insertLaunch(temp, "OTHER", { wallet: "other" });
  const { launches } = temp.store;
  await launches.cancel("agent", eventId, "cancelled");
  await launches.cancel("agent", eventId, "cancelled");
  expect(heard).toEqual(["agent"]);
});

test("while a wallet's launch may land, no other one of the day is signed", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const one = await takeLaunch(temp, "ONE", { leaseId: "first" });
  const two = await insertLaunch(temp, "TWO");
  // No queue leases both at once: as if the first lease had been lost unseen.
  using client = new Database(temp.path);
  client.run("drop index launches_leased");
  client.run("update launches set lease_id = 'second' where event_id = ?", [two]);
  const record = (eventId: string, leaseId: string, ticker: string) =>
    launches.recordAttempt(eventId, leaseId, newAttempt(ticker));
  expect(await record(one.eventId, "first", "ONE")).toBe("recorded");
  expect(await record(two, "second", "TWO")).toBe("launched_today");
  expect(await record(one.eventId, "first", "AGAIN")).toBe("recorded");
  temp.clock.advance(86_400_000);
  expect(await record(two, "second", "TWO")).toBe("recorded");
});
