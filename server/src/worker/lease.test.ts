import { expect, test } from "bun:test";
import { insertLaunch } from "../testing/launches.ts";
import { tempStore } from "../testing/temp-store.ts";
import { leaseNext } from "./transitions.ts";

test("the launches of a blocked agent end failed before they cost anything, and others are leased", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const blocked = [await insertLaunch(temp, "ONE"), await insertLaunch(temp, "TWO")];
  const other = await insertLaunch(temp, "OTHER", { wallet: "other" });
  const isBlocked = async (wallet: string) => wallet === "agent";
  expect(await leaseNext(launches, undefined, { isBlocked })).toBe("refused");
  for (const eventId of blocked) {
    expect(await launches.find("agent", eventId)).toMatchObject({
      status: "failed",
      error: "The service's operator has blocked the wallet",
    });
  }
  expect(await leaseNext(launches, undefined, { isBlocked })).toMatchObject({
    launch: { eventId: other },
  });
});

test("what was set aside for a launch that nothing was signed for goes back when it ends without a token", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const eventId = await insertLaunch(temp, "ONE");
  await launches.lease("crashed", 60_000);
  const wallet = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: 100n };
  await launches.reserve(eventId, "crashed", { ...wallet, lamports: 70n });
  await launches.recover();
  expect(await leaseNext(launches, undefined, { isBlocked: async () => true })).toBe("refused");
  expect(await launches.spentToday()).toBe(0n);
});
