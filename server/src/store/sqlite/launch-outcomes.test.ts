import { expect, test } from "bun:test";
import { insertLaunch } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempStore } from "../../testing/temp-store.ts";

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
